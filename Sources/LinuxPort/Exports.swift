// Who uses the port names what it is made of.
@_exported import Linux
