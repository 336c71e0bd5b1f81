"""Views: robots and their motions as scenes, pages, videos and plots."""
