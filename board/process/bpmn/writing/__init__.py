"""A table as BPMN 2.0 XML."""
