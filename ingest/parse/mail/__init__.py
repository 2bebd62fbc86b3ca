"""E-mail: headers, the better body, attachments as documents inside the document."""
