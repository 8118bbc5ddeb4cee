"""Attachments on their way to a model: what can be shown, and words for what cannot."""

from ankrcode.protocol.result import Attachment

_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def is_image(attachment: Attachment) -> bool:
    return attachment.type == "image" and bool(attachment.data)


def is_pdf(attachment: Attachment) -> bool:
    is_one = attachment.type == "pdf" or attachment.mime == "application/pdf"
    return is_one and bool(attachment.data)


def image_type(attachment: Attachment) -> str:
    mime = attachment.mime.lower().replace("image/jpg", "image/jpeg")
    return mime if mime.startswith("image/") else _IMAGES[0]


def data_url(attachment: Attachment) -> str:
    mime = image_type(attachment) if attachment.type == "image" else attachment.mime
    return f"data:{mime};base64,{attachment.data}"


def file_name(attachment: Attachment, usual: str = "document.pdf") -> str:
    name = attachment.name or (attachment.path or "").replace("\\", "/").rpartition("/")[2]
    return name or usual


def in_words(attachment: Attachment) -> str:
    """The text it holds, or that there is something the model cannot see."""
    if attachment.type == "text" and attachment.data is not None:
        title = attachment.name or attachment.path
        return f"{title}:\n{attachment.data}" if title else attachment.data
    name = file_name(attachment, attachment.type)
    place = f" at {attachment.path}" if attachment.path else ""
    return f"[{attachment.type} not shown: {name} ({attachment.mime}){place}]"
