import { Badge, Group, Text } from '@mantine/core';
import { IconRotateClockwise } from '@tabler/icons-react';
import { Copy } from '../../components/Copy.tsx';
import { FileLocation } from '../FileLocation.tsx';
import type { Finding } from '../finding-queries.ts';
import { SeverityBadge, StatusBadge } from '../Severity.tsx';

/** Severity, status and location of a finding. */
export function Badges({ finding: { severity, status, regressed, file, line } }: { finding: Finding }) {
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
      {file && (
        <Group gap={2} wrap="nowrap" miw={0}>
          <Text size="sm" ff="monospace" component="code">
            <FileLocation file={file} line={line} />
          </Text>
          <Copy value={line === undefined ? file : `${file}:${line}`} label="Copy file and line" />
        </Group>
      )}
    </Group>
  );
}
