"""What views share: acting on rows, drafts, forms that did not get through, the headers of every answer."""
