import * as text from '#strings/components.ts';

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];

/** A size, such as "512 bytes" and "1.5 MiB". */
export function byteSize(bytes: number): string {
  if (bytes < 1024) return text.bytes(bytes);
  let size = bytes / 1024;
  let unit = 0;
  // 1023.95 KiB would be rounded to 1024.0 KiB.
  for (; size >= 1023.95 && unit < UNITS.length - 1; unit++) size /= 1024;
  return text.sizeIn(UNITS[unit] ?? '', size);
}
