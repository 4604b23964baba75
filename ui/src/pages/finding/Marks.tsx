import { Badge, Group, Text } from '@mantine/core';
import { IconRotateClockwise } from '@tabler/icons-react';
import { Copy } from '../../parts/Copy.tsx';
import { SeverityBadge, StatusBadge } from '../../parts/Severity.tsx';
import type { Finding } from '../../queries/finding.ts';

/** What a finding is at first sight: severity, status, and where. */
export function Marks({ finding: { severity, status, regressed, file, line } }: { finding: Finding }) {
  const place = file && (line === undefined ? file : `${file}:${line}`);
  return (
    <Group gap="xs">
      <SeverityBadge severity={severity} />
      <StatusBadge status={status} />
      {regressed && (
        <Badge
          color="red"
          variant="light"
          radius="sm"
          tt="none"
          leftSection={<IconRotateClockwise size={12} aria-hidden />}
          styles={{ label: { overflow: 'visible', color: 'var(--mantine-color-error)' } }}
        >
          Regressed: seen again after it was fixed
        </Badge>
      )}
      {place && (
        <Group gap={2} wrap="nowrap" miw={0}>
          <Text size="sm" ff="monospace" component="code">
            <bdi>{file}</bdi>
            {line !== undefined && `:${line}`}
          </Text>
          <Copy value={place} label="Copy file and line" />
        </Group>
      )}
    </Group>
  );
}
