import type { Dropped } from './upload.ts';

/** Whether something that is dragged contains files. Texts and links do not. */
export const hasFiles = (transfer: DataTransfer | null): transfer is DataTransfer =>
  transfer?.types.includes('Files') ?? false;

/** The files and folders that were dropped. Must be called while the event is handled. */
export function droppedOf({ items, files }: DataTransfer): Dropped[] {
  const entries = [...items].filter(({ kind }) => kind === 'file');
  // Browsers without items show a folder as a file that cannot be read.
  if (entries.length === 0) return chosenOf(files);
  return entries.flatMap((item): Dropped[] => {
    const entry = item.webkitGetAsEntry();
    if (entry?.isDirectory) return [{ name: entry.name }];
    const file = item.getAsFile();
    return file ? [{ name: file.name, file }] : [];
  });
}

/** The files that were chosen with the button. */
export const chosenOf = (files: Iterable<File> | null): Dropped[] =>
  [...(files ?? [])].map((file) => ({ name: file.name, file }));
