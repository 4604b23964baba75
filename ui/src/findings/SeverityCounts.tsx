import { Group, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { SEVERITIES, type Severity, UNRESOLVED } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { LinkAnchor } from '../components/links.tsx';
import { SEVERITY_NAMES, severityColor } from './Severity.tsx';

interface Props {
  /** The number of unresolved findings of the project. */
  counts: Record<Severity, number>;
  projectId: string;
}

/** Unresolved findings of a project by severity. Each number links to its findings. */
export function SeverityCounts({ counts, projectId }: Props) {
  const { slug } = useOrg();
  const some = SEVERITIES.filter((severity) => counts[severity] > 0);
  if (some.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None
      </Text>
    );
  }
  return (
    <Group gap={6}>
      {some.map((severity) => {
        const label = `${counts[severity]} ${SEVERITY_NAMES[severity].toLowerCase()}`;
        return (
          <Tooltip key={severity} label={`${label}, unresolved`}>
            <LinkAnchor
              to="/o/$org/findings"
              params={{ org: slug }}
              search={{ project_id: projectId, severity: [severity], status: [...UNRESOLVED] }}
              size="sm"
              fw={600}
              c={severityColor(severity)}
              px={6}
              style={{
                borderRadius: 'var(--mantine-radius-sm)',
                background: `color-mix(in srgb, ${severityColor(severity)} 10%, var(--mantine-color-body))`,
              }}
            >
              {counts[severity].toLocaleString('en')} {SEVERITY_NAMES[severity].charAt(0)}
              <VisuallyHidden>{SEVERITY_NAMES[severity].slice(1)}</VisuallyHidden>
            </LinkAnchor>
          </Tooltip>
        );
      })}
    </Group>
  );
}
