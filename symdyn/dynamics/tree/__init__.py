"""What every sweep along the tree needs: fields, visits, places, and how a body moves with its parent."""
