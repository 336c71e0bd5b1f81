"""From Program to Program."""
