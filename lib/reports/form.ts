/** What a multipart form adds to its file, at most. */
export const FORM_BYTES = 64 * 1024;

export const isForm = (contentType: string): boolean => /^\s*multipart\/form-data\b/i.test(contentType);
