import { Button, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import * as text from '#strings/findings/groups.tsx';
import { byStatus } from '#strings/findings.ts';
import { type GroupKey, STATUSES } from '../../app/search.ts';
import { useOrg } from '../../app/session.ts';
import { Loaded } from '../../components/Loaded.tsx';
import { OrgAnchor } from '../../components/links.tsx';
import { Ago } from '../../components/time/Time.tsx';
import { IconChevronRight } from '../../icons/icons.ts';
import { FindingItems } from '../FindingItems.tsx';
import type { FindingFilter } from '../list-queries.ts';
import { SeverityBadge } from '../Severity.tsx';
import { titleOf } from '../title.ts';
import classes from './Groups.module.css';
import { type FindingGroup, groupFindingsQuery, SHOWN_FINDINGS } from './group-queries.ts';

interface Props {
  group: FindingGroup;
  by: GroupKey;
  /** The filter of its findings. */
  filter: FindingFilter;
  /** Whether the form is about to open. */
  isDeciding: boolean;
  /** Opens the form; undefined if the user may not. */
  onDecide: (() => void) | undefined;
}

const WITHOUT: Record<GroupKey, string> = text.without;

/** A group of findings, which opens to its first findings. */
export function GroupRow({ group, by, filter, isDeciding, onDecide }: Props) {
  const [opened, { toggle }] = useDisclosure();
  const id = useId();
  const { count, finding, key, label, newest_at, regressed, severity, statuses } = group;
  const name = key === null ? WITHOUT[by] : titleOf(label);
  return (
    <li className={classes.group}>
      <div className={classes.row}>
        <UnstyledButton
          className={classes.toggle}
          onClick={toggle}
          aria-expanded={opened}
          aria-controls={opened ? id : undefined}
        >
          <IconChevronRight
            size={16}
            className={classes.chevron}
            data-opened={opened || undefined}
            aria-hidden
          />
          <span className={classes.severity}>
            <SeverityBadge severity={severity} />
          </span>
          <span className={classes.name}>
            <bdi>{name}</bdi>
            {(by === 'cve' || (by === 'rule' && finding.rule_id)) && key !== null && (
              <Text span size="xs" c="dimmed" truncate>
                <bdi>{titleOf(finding.title)}</bdi>
              </Text>
            )}
          </span>
          <span className={classes.count}>{text.findings(count)}</span>
        </UnstyledButton>
        <Text size="xs" c="dimmed" className={classes.facts}>
          {text.facts(
            regressed > 0 && <span className={classes.regressed}>{text.regressed(regressed)}</span>,
            byStatus(
              STATUSES.filter((status) => statuses[status] > 0).map((status) => [statuses[status], status]),
            ),
            <Ago time={newest_at} />,
          )}
        </Text>
        <div className={classes.actions}>
          {onDecide && (
            <Button
              size="compact-sm"
              variant="default"
              aria-haspopup="dialog"
              aria-label={text.triageAll(count, name)}
              loading={isDeciding}
              onClick={onDecide}
            >
              {text.triage}
            </Button>
          )}
        </div>
      </div>
      {opened && (
        <section id={id} className={classes.findings} aria-label={text.findingsOf(name)}>
          <Members filter={filter} count={count} />
        </section>
      )}
    </li>
  );
}

function Members({ filter, count }: { filter: FindingFilter; count: number }) {
  const org = useOrg();
  const findings = useQuery(groupFindingsQuery(org, filter));
  return (
    <Loaded query={findings}>
      {(list) => (
        <>
          <FindingItems findings={list} list={filter} />
          {count > SHOWN_FINDINGS && (
            <OrgAnchor to="/o/$org/findings" search={filter} size="sm">
              {text.showAll(count)}
            </OrgAnchor>
          )}
        </>
      )}
    </Loaded>
  );
}
