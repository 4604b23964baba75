import { ActionIcon, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useLayoutEffect, useRef } from 'react';
import * as text from '#strings/findings/list/preview.ts';
import { useOrg } from '../../../app/session.ts';
import { Problem } from '../../../components/errors/Problem.tsx';
import { Tip } from '../../../components/floating/Tip.tsx';
import { OrgAnchor } from '../../../components/links.tsx';
import { TextSkeleton } from '../../../components/text/TextSkeleton.tsx';
import { IconX } from '../../../icons/icons.ts';
import type { TriageState } from '../../../triage/use-triage.ts';
import { type Finding, findingQuery } from '../../finding-queries.ts';
import { type FindingFilter, listedFinding } from '../../list-queries.ts';
import { Facts } from '../../page/Facts.tsx';
import { FindingText } from '../../page/FindingText.tsx';
import { Headline } from '../../page/Headline.tsx';
import { StatusPanel } from '../../page/StatusPanel.tsx';
import { titleOf } from '../../title.ts';
import classes from './Preview.module.css';

export interface PreviewProps {
  id: string;
  /** The list that contains the finding. */
  filter: FindingFilter;
  triage: TriageState;
  onClose(): void;
}

/** A finding beside the list: facts, status, fix, evidence and description. */
export function Preview({ id, filter, triage, onClose }: PreviewProps) {
  const org = useOrg();
  const listed = listedFinding(useQueryClient(), org, filter, id);
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...findingQuery(org, id),
    // The list has everything but the description.
    ...(listed && { placeholderData: { ...listed.row, description: '' } satisfies Finding }),
  });
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each finding starts at its top.
  useLayoutEffect(() => {
    panel.current?.scrollTo(0, 0);
  }, [id]);
  return (
    <aside className={classes.preview} aria-label={text.preview} ref={panel} data-print-hidden>
      <div className={classes.head}>
        {data && (
          <Title order={2} className={classes.title ?? ''}>
            <OrgAnchor
              to="/o/$org/findings/$id"
              params={{ id }}
              search={{ ...filter, ...(listed && { at: listed.at }) }}
              c="inherit"
              inherit
            >
              <bdi>{titleOf(data.title)}</bdi>
            </OrgAnchor>
          </Title>
        )}
        <Tip label={text.closePreview}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={text.closePreview}
            aria-keyshortcuts="Escape"
            onClick={onClose}
          >
            <IconX size={18} />
          </ActionIcon>
        </Tip>
      </div>
      {data ? (
        <div className={classes.content} aria-busy={isPlaceholderData}>
          <Headline finding={data} />
          {/* Without keys: those of the list act on the same finding. */}
          <StatusPanel finding={data} triage={triage} isInList />
          <Suspense fallback={<TextSkeleton />}>
            {isPlaceholderData ? <TextSkeleton /> : <FindingText key={id} finding={data} />}
            <Facts key={`facts ${id}`} finding={data} />
          </Suspense>
        </div>
      ) : error ? (
        <Problem error={error} onRetry={refetch} />
      ) : (
        <TextSkeleton />
      )}
    </aside>
  );
}
