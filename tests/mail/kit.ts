/** The elements that the page of a mail is made of. */
export const MAIL_TAGS = '!doctype html head meta title body div h1 p a table tr td'.split(' ');
