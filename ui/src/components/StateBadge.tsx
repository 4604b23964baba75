import { Badge } from '@mantine/core';

/** A state as a word with a coloured dot. */
export function StateBadge({ label, color }: { label: string; color: string }) {
  return (
    <Badge
      variant="dot"
      color={color}
      radius="sm"
      styles={{ root: { textTransform: 'none', flexShrink: 0 }, label: { overflow: 'visible' } }}
    >
      {label}
    </Badge>
  );
}
