import { ActionIcon, Box, Group, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import * as deletion from '#strings/deletion.tsx';
import * as text from '#strings/findings/page.tsx';
import { ServiceError } from '../../app/api.ts';
import { type FindingFilter, filterOf } from '../../app/search.ts';
import { useMe, useOrg } from '../../app/session.ts';
import { Copy } from '../../components/Copy.tsx';
import { useConfirmed } from '../../components/dialogs/use-confirmed.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { showSuccess } from '../../components/errors/toasts.ts';
import { Tip } from '../../components/floating/Tip.tsx';
import { ShortcutHelp, type ShortcutList } from '../../components/keyboard/ShortcutHelp.tsx';
import { useShortcuts } from '../../components/keyboard/shortcuts.ts';
import { Page } from '../../components/Page.tsx';
import { TextSkeleton } from '../../components/text/TextSkeleton.tsx';
import { DeleteMenu } from '../../deletion/DeleteMenu.tsx';
import { IconKeyboard, IconPrinter } from '../../icons/icons.ts';
import { membersQuery } from '../../members/queries.ts';
import { useMayIn } from '../../projects/allowed-projects.ts';
import { projectsQuery } from '../../projects/queries.ts';
import { refreshFindings } from '../../triage/cache.ts';
import { TRIAGE_SHORTCUTS } from '../../triage/shortcuts.ts';
import { type TriageState, useTriage } from '../../triage/use-triage.ts';
import { exploitsQuery, type Finding, findingKey, findingQuery, refsQuery } from '../finding-queries.ts';
import { titleOf } from '../title.ts';
import { addressOf, isOutOf } from '../views.ts';
import { Exploits } from './Exploits.tsx';
import { Cvss, Facts } from './Facts.tsx';
import classes from './Finding.module.css';
import { FindingText, MarkdownText } from './FindingText.tsx';
import { Headline } from './Headline.tsx';
import { Issues } from './issues/Issues.tsx';
import { issuesQuery } from './issues/queries.ts';
import { ListNav } from './ListNav.tsx';
import { OthersChanges } from './OthersChanges.tsx';
import { Refs } from './Refs.tsx';
import { Similar } from './Similar.tsx';
import { StatusPanel } from './StatusPanel.tsx';
import { Timeline } from './timeline/Timeline.tsx';

const route = getRouteApi('/_signed-in/o/$org/findings/$id');

// While the finding is read.
for (const part of [MarkdownText, Cvss]) part.load().catch(() => {});

/** Longer titles have a smaller font. */
const LONG_TITLE = 120;

/** One finding, with triage and links to its neighbours in the list. */
export function FindingPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const filter = filterOf(search);
  const finding = useQuery(findingQuery(useOrg(), id));
  const isReady = useReady(id, finding.data);
  const triage = useTriage(filter);
  const isOut = finding.data !== undefined && isOutOf(filter, finding.data);
  return (
    <Stack gap="md">
      <ListNav id={id} filter={filter} at={search.at} isOut={isOut}>
        <Copy value={window.location.href.replace(/\?.*/, '')} label={text.copyLink} />
        <Tip label={text.print}>
          <ActionIcon variant="subtle" color="gray" aria-label={text.print} onClick={() => window.print()}>
            <IconPrinter size={18} />
          </ActionIcon>
        </Tip>
        <Shortcuts fromList={search.at !== undefined} projectId={finding.data?.project_id ?? ''} />
        {finding.data && <DeleteFinding finding={finding.data} filter={filter} />}
      </ListNav>
      {search.at !== undefined && (
        // Screen readers announce the finding after a step through the list.
        <VisuallyHidden role="status">
          <bdi>{finding.data && titleOf(finding.data.title)}</bdi>
        </VisuallyHidden>
      )}
      {finding.data && <OthersChanges key={id} id={id} />}
      {finding.data && isReady ? (
        <FindingDetails key={id} finding={finding.data} triage={triage} />
      ) : finding.error && !finding.data ? (
        <Missing error={finding.error} onRetry={finding.refetch} />
      ) : (
        <Waiting />
      )}
    </Stack>
  );
}

function FindingDetails({ finding, triage }: { finding: Finding; triage: TriageState }) {
  const title = titleOf(finding.title);
  return (
    <Page
      title={title}
      heading={<bdi className={title.length > LONG_TITLE ? classes.long : undefined}>{title}</bdi>}
    >
      <Box mt={-12}>
        <Headline finding={finding} />
      </Box>
      <Suspense fallback={<WaitingColumns />}>
        <div className={classes.columns}>
          <div className={classes.main}>
            <FindingText finding={finding} />
            <Exploits id={finding.id} />
          </div>
          <div className={classes.side}>
            <StatusPanel finding={finding} triage={triage} />
            <Facts finding={finding} />
            <Refs finding={finding} />
            <Issues finding={finding} />
          </div>
          <div className={classes.below}>
            <Timeline id={finding.id} projectId={finding.project_id} />
            <Similar id={finding.id} />
          </div>
        </div>
      </Suspense>
    </Page>
  );
}

/**
 * Whether everything that would move other parts of the page has loaded or failed. Steps through a list wait for the finding alone,
 * so that its keys work at once.
 */
function useReady(id: string, finding: Finding | undefined): boolean {
  const org = useOrg();
  const { user } = useMe();
  const isOthers = finding?.assignee_id !== undefined && finding.assignee_id !== user.id;
  const loads = [
    useQuery(projectsQuery(org)),
    useQuery(exploitsQuery(org, id)),
    useQuery(refsQuery(org, id)),
    useQuery(issuesQuery(org, id)),
    useQuery({ ...membersQuery(org), enabled: isOthers }),
  ];
  const [wasReady, setWasReady] = useState(false);
  const isReady = wasReady || (finding !== undefined && loads.every(({ isLoading }) => !isLoading));
  if (isReady && !wasReady) setWasReady(true);
  return isReady;
}

function Missing({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const isGone = error instanceof ServiceError && error.status === 404;
  return (
    <Page title={isGone ? text.notFound : text.finding}>
      <Problem error={error} {...(!isGone && { onRetry })} />
    </Page>
  );
}

function Waiting() {
  return (
    <Stack gap="lg" role="status" aria-label={text.loadingFinding}>
      <Skeleton h={28} w="60%" />
      <Group>
        <Skeleton h={22} w={80} />
        <Skeleton h={22} w={80} />
        <Skeleton h={22} w={220} />
      </Group>
      <WaitingColumns />
    </Stack>
  );
}

const WaitingColumns = () => (
  <div className={classes.columns}>
    <div className={classes.main}>
      <TextSkeleton />
    </div>
    <Skeleton h={320} className={classes.side ?? ''} />
  </div>
);

const WALKING: ShortcutList = [
  [['j'], text.nextInList],
  [['k'], text.previousInList],
];
const DECIDING: ShortcutList = [
  [['a'], text.assignToMe],
  [['e'], text.editFinding],
  [['m'], text.writeComment],
];
const HELP: ShortcutList = [
  [[text.escapeKey], text.returnToList],
  [['?'], text.showHelp],
];

/** The help with the shortcuts of the page of a finding. */
function Shortcuts({ fromList, projectId }: { fromList: boolean; projectId: string }) {
  const mayTriage = useMayIn('updateFindings', projectId);
  const [opened, { open, close }] = useDisclosure();
  useShortcuts({ 'shift+?': open, '?': open });
  const shortcuts = [
    ...(fromList ? WALKING : []),
    ...(mayTriage ? [...TRIAGE_SHORTCUTS, ...DECIDING] : []),
    ...HELP,
  ];
  return (
    <>
      <Tip label={text.keyboardShortcuts}>
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={open}
          aria-label={text.keyboardShortcuts}
          visibleFrom="sm"
        >
          <IconKeyboard size={18} />
        </ActionIcon>
      </Tip>
      <ShortcutHelp opened={opened} onClose={close} shortcuts={shortcuts} />
    </>
  );
}

/** Deletes the finding of a page and returns to its list. */
function DeleteFinding({ finding, filter }: { finding: Finding; filter: FindingFilter }) {
  const { id, project_id } = finding;
  const org = useOrg();
  const mayDelete = useMayIn('deleteFinding', project_id);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useConfirmed({
    title: deletion.deleteThisFinding,
    children: <Text size="sm">{deletion.findingIsGone}</Text>,
    confirm: deletion.deleteFinding,
    color: 'red',
    mutationFn: () => org.api.delete('/findings/{id}', { params: { path: { id } } }),
    onSuccess: async () => {
      showSuccess(deletion.findingDeleted);
      await navigate({
        to: '/o/$org/findings',
        params: { org: org.slug },
        search: addressOf(filter),
        replace: true,
      });
      queries.removeQueries({ queryKey: findingKey(org, id) });
    },
    onSettled: () => refreshFindings(queries, org),
  });
  if (!mayDelete) return null;
  return <DeleteMenu label={deletion.deleteFindingAsk} isBusy={remove.isPending} onDelete={remove.ask} />;
}
