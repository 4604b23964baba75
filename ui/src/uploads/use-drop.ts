import { type RefObject, useEffect, useEffectEvent, useState } from 'react';
import type { Dropped } from './upload.ts';

/** Where files are dragged to: nowhere, another place of the window, or the target. */
export type Drag = 'none' | 'elsewhere' | 'target';

/** Browsers repeat `dragover` every 50 to 350 ms while something is dragged over the window. */
const GONE_MS = 800;

/**
 * Makes an element a target for files. A file that misses it is not opened by the browser, which would leave the page.
 * @param onDrop called with what was dropped
 */
export function useDrop(target: RefObject<HTMLElement | null>, onDrop: (dropped: Dropped[]) => void): Drag {
  const [drag, setDrag] = useState<Drag>('none');
  const drop = useEffectEvent(onDrop);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(timer);
      setDrag('none');
    };
    const isInside = ({ target: place }: DragEvent) => target.current?.contains(place as Node) ?? false;
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      const inside = isInside(event);
      event.dataTransfer.dropEffect = inside ? 'copy' : 'none';
      setDrag(inside ? 'target' : 'elsewhere');
      clearTimeout(timer);
      timer = setTimeout(end, GONE_MS);
    };
    const onDragLeave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) end();
    };
    const onDropped = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      end();
      if (isInside(event)) drop(droppedOf(event.dataTransfer));
    };
    window.addEventListener('dragover', onDragOver);
    window.addEventListener('dragleave', onDragLeave);
    window.addEventListener('drop', onDropped);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('dragover', onDragOver);
      window.removeEventListener('dragleave', onDragLeave);
      window.removeEventListener('drop', onDropped);
    };
  }, [target]);
  return drag;
}

/** Whether something that is dragged contains files. Texts and links do not. */
const hasFiles = (transfer: DataTransfer | null): transfer is DataTransfer =>
  transfer?.types.includes('Files') ?? false;

/** The files and folders that were dropped. Must be called while the event is handled. */
function droppedOf({ items, files }: DataTransfer): Dropped[] {
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
