import { Group, Skeleton, Stack, Title, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ServiceError } from '../../app/api.ts';
import { useOrg } from '../../app/session.ts';
import { Copy } from '../../components/Copy.tsx';
import { Problem } from '../../components/errors/Problem.tsx';
import { Page } from '../../components/Page.tsx';
import { TextSkeleton } from '../../components/text/TextSkeleton.tsx';
import { StatusButtons } from '../../triage/StatusButtons.tsx';
import { type TriageState, useTriage } from '../../triage/use-triage.ts';
import { type Finding, findingQuery } from '../finding-queries.ts';
import { filterOf } from '../list-queries.ts';
import { Badges } from './Badges.tsx';
import { Exploits } from './Exploits.tsx';
import { Facts } from './Facts.tsx';
import classes from './Finding.module.css';
import { ListNav } from './ListNav.tsx';
import { Shortcuts } from './Shortcuts.tsx';

const MarkdownText = lazy(() =>
  import('../../components/text/MarkdownText.tsx').then((m) => ({ default: m.MarkdownText })),
);

const route = getRouteApi('/_signed-in/o/$org/findings/$id');

/** Longer titles have a smaller font. */
const LONG_TITLE = 120;

/** One finding, with triage and links to its neighbours in the list. */
export function FindingPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const filter = filterOf(search);
  const finding = useQuery(findingQuery(useOrg(), id));
  const triage = useTriage(filter);
  const isOut = finding.data !== undefined && filter.status?.includes(finding.data.status) === false;
  return (
    <Stack gap="md">
      <ListNav id={id} filter={filter} at={search.at} isOut={isOut}>
        <Copy value={window.location.href.replace(/\?.*/, '')} label="Copy the link to this finding" />
        <Shortcuts fromList={search.at !== undefined} />
      </ListNav>
      {search.at !== undefined && (
        // Screen readers announce the finding after a step through the list.
        <VisuallyHidden role="status">
          <bdi>{finding.data?.title}</bdi>
        </VisuallyHidden>
      )}
      {finding.data ? (
        <FindingDetails key={id} finding={finding.data} triage={triage} />
      ) : finding.error ? (
        <Missing error={finding.error} onRetry={finding.refetch} />
      ) : (
        <Waiting />
      )}
    </Stack>
  );
}

function FindingDetails({ finding, triage }: { finding: Finding; triage: TriageState }) {
  return (
    <Page
      title={finding.title}
      heading={
        <bdi className={finding.title.length > LONG_TITLE ? classes.long : undefined}>{finding.title}</bdi>
      }
    >
      <Stack gap="sm" mt={-8}>
        <Badges finding={finding} />
        <StatusButtons finding={finding} triage={triage} />
      </Stack>
      <div className={classes.columns}>
        <section aria-labelledby="description" className={classes.description}>
          <Title order={2} id="description" mb="sm">
            Description
          </Title>
          <Suspense fallback={<TextSkeleton />}>
            <MarkdownText text={finding.description} />
          </Suspense>
        </section>
        <Facts finding={finding} />
        <div className={classes.exploits}>
          <Exploits id={finding.id} />
        </div>
      </div>
    </Page>
  );
}

function Missing({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const isGone = error instanceof ServiceError && error.status === 404;
  return (
    <Page title={isGone ? 'Finding not found' : 'Finding'}>
      <Problem error={error} {...(!isGone && { onRetry })} />
    </Page>
  );
}

function Waiting() {
  return (
    <Stack gap="lg" role="status" aria-label="Loading the finding">
      <Skeleton h={32} w="60%" />
      <Group>
        <Skeleton h={22} w={80} />
        <Skeleton h={22} w={80} />
        <Skeleton h={22} w={220} />
      </Group>
      <Skeleton h={30} w={420} maw="100%" />
      <div className={classes.columns}>
        <div className={classes.description}>
          <TextSkeleton />
        </div>
        <Skeleton h={320} className={classes.facts ?? ''} />
      </div>
    </Stack>
  );
}
