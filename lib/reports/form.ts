/** The maximum size that a multipart form adds to its file. */
export const FORM_BYTES = 64 * 1024;

export const isForm = (contentType: string): boolean => /^\s*multipart\/form-data\b/i.test(contentType);
