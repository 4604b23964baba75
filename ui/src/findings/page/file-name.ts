const MAX_LENGTH = 120;

/** Marks that are not seen, and what names of files may not hold on one system or another. */
const UNFIT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu;

/** A name to save a file by, of one that somebody else chose: without folders, and as it looks. */
export function fileNameOf(given: string): string {
  const name = given
    .split(/[/\\]/)
    .at(-1)
    ?.replace(UNFIT, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  if (!name || /^_*$/.test(name)) return 'exploit.txt';
  const dot = name.lastIndexOf('.');
  const end = dot > 0 ? name.slice(dot).slice(0, 20) : '';
  return name.length > MAX_LENGTH ? name.slice(0, MAX_LENGTH - end.length) + end : name;
}
