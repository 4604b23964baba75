/** Downloads a file. Browsers remove invalid characters from its name. */
export function saveFile(file: File): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = file.name;
  link.click();
  // Some browsers read the URL after they have handled the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
