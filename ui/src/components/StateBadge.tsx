import { Badge, type BadgeProps } from '@mantine/core';

interface Props extends BadgeProps {
  label: string;
  color: string;
}

/** A state as a word with a coloured dot. */
export const StateBadge = ({ label, ...props }: Props) => (
  <Badge
    variant="dot"
    radius="sm"
    styles={{ root: { textTransform: 'none', flexShrink: 0 }, label: { overflow: 'visible' } }}
    {...props}
  >
    {label}
  </Badge>
);
