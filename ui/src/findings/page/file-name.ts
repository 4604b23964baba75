const MAX_LENGTH = 120;

/** Invisible characters, and characters that are not allowed in file names on some systems. */
const UNFIT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu;

/** A safe file name from an untrusted one, without folders and invisible characters. */
export function fileNameOf(given: string): string {
  const name = given
    .split(/[/\\]/)
    .at(-1)
    ?.replace(UNFIT, '_')
    .replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, '');
  if (!name || /^_*$/.test(name)) return 'exploit.txt';
  const dot = name.lastIndexOf('.');
  const end = dot > 0 ? name.slice(dot).slice(0, 20) : '';
  return name.length > MAX_LENGTH ? name.slice(0, MAX_LENGTH - end.length) + end : name;
}
