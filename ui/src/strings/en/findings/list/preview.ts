export const preview = 'Preview';
export const closePreview = 'Close the preview';
export const loading = 'Loading the preview';
