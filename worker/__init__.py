"""The executor: runs what is ready out of the jobs directory and appends what happened."""
