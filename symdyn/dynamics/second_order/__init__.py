"""What is weighed and differentiated: gradients and Hessians of weighted sums of forces and of accelerations."""
