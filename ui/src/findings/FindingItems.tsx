import { Text } from '@mantine/core';
import * as text from '#strings/findings.ts';
import type { Schemas } from '../app/api.ts';
import type { FindingSearch } from '../app/search.ts';
import { OrgAnchor } from '../components/links.tsx';
import { Ago } from '../components/time/Time.tsx';
import { FileLocation } from './FileLocation.tsx';
import classes from './FindingItems.module.css';
import { SeverityBadge, SeverityMark, StatusBadge } from './Severity.tsx';
import { titleOf } from './title.ts';

type Listed = Schemas['ListedFinding'];
/** A finding of a list or of a gate, which has fewer fields. */
type Item = Pick<Listed, 'id' | 'title' | 'severity' | 'status' | 'file' | 'line'> &
  Partial<Pick<Listed, 'created_at' | 'project_id' | 'regressed' | 'proposed'>>;

interface Props {
  findings: readonly Item[];
  /** The list that the findings are the start of, for links to the previous and next finding. */
  list?: FindingSearch;
  /** The names of projects by id, if they are shown. */
  projects?: ReadonlyMap<string, string> | undefined;
}

/** A short list of findings. */
export function FindingItems({ findings, list, projects }: Props) {
  return (
    <ul className={classes.list}>
      {findings.map((finding, index) => (
        <li key={finding.id} className={classes.item}>
          <div className={classes.severity}>
            <span className={classes.word}>
              <SeverityBadge severity={finding.severity} />
            </span>
            <span className={classes.mark}>
              <SeverityMark severity={finding.severity} />
            </span>
          </div>
          <div className={classes.title}>
            <OrgAnchor
              to="/o/$org/findings/$id"
              params={{ id: finding.id }}
              search={list ? { ...list, at: index + 1 } : {}}
              c="inherit"
              size="sm"
              fw={500}
              lineClamp={2}
              title={titleOf(finding.title)}
              className={classes.link ?? ''}
            >
              <bdi>{titleOf(finding.title)}</bdi>
            </OrgAnchor>
            <Text size="xs" c="dimmed" truncate>
              <Facts finding={finding} project={projects?.get(finding.project_id ?? '')} />
            </Text>
          </div>
          <div className={classes.side}>
            <StatusBadge status={finding.status} regressed={finding.regressed} proposed={finding.proposed} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function Facts({ finding, project }: { finding: Item; project: string | undefined }) {
  const { created_at, file, line } = finding;
  const facts = [
    created_at && <Ago key="found" time={created_at} />,
    project !== undefined && <bdi key="project">{project}</bdi>,
    file && <FileLocation key="file" file={file} line={line} />,
  ].filter(Boolean);
  return <>{facts.flatMap((fact, index) => (index === 0 ? [fact] : [text.separator, fact]))}</>;
}
