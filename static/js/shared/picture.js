// The width of a picture.

/** Make a picture fit that is only a little too wide; a wider one is scrolled, for it has to be readable. */
export function fitPicture(box) {
  const svg = box?.firstElementChild;
  if (svg) svg.classList.toggle("fits", svg.width.baseVal.value <= box.clientWidth * 1.5);
}
