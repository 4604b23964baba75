import qrcode from 'qrcode-generator';
import { useMemo } from 'react';

/** The empty margin in cells, which cameras need. */
const MARGIN = 4;

/** A QR code. Always black on white, because many apps read nothing else. */
export function QrCode({ value, label }: { value: string; label: string }) {
  const { path, size } = useMemo(() => draw(value), [value]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={208}
      height={208}
      shapeRendering="crispEdges"
      style={{ borderRadius: 'var(--mantine-radius-md)', maxWidth: '100%' }}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function draw(value: string): { path: string; size: number } {
  const code = qrcode(0, 'M');
  code.addData(value);
  code.make();
  const cells = code.getModuleCount();
  const rows = Array.from({ length: cells }, (_, row) =>
    Array.from({ length: cells }, (_, column) =>
      code.isDark(row, column) ? `M${column + MARGIN} ${row + MARGIN}h1v1h-1z` : '',
    ).join(''),
  );
  return { path: rows.join(''), size: cells + 2 * MARGIN };
}
