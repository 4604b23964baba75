import { Anchor, Button, Checkbox, Group, Kbd, Paper, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId } from 'react';
import * as text from '#strings/demo.tsx';
import { useOrg } from '../app/session.ts';
import { useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { OrgAnchor } from '../components/links.tsx';
import { ATTENTION } from '../findings/views.ts';
import { refreshOrg, STEPS, type StepName, useTour } from './tour.ts';

interface Props {
  /** The tour is at the top of the dashboard, and a note at its end while the tour is hidden. */
  at: 'top' | 'bottom';
  onRemoved: () => void;
}

/** The tour of the demo data, in an organization that has some. */
export function Demo({ at, onRemoved }: Props) {
  const org = useOrg();
  const queries = useQueryClient();
  const { tour, project, projects, isNew, keep } = useTour(org);
  const isKept = !isNew && tour.project?.id === project?.id;
  useEffect(() => {
    if (projects && !isKept) keep((rest) => ({ ...rest, project: project ?? null }));
  }, [projects, project, isKept, keep]);

  const remove = useConfirmed({
    title: text.removeAsk,
    children: <Text size="sm">{text.whatIsRemoved(<bdi>{project?.name}</bdi>)}</Text>,
    confirm: text.remove,
    color: 'red',
    mutationFn: async () => {
      if (!project) return;
      const { id, slug } = project;
      await org.api.delete('/projects/{slug}', { params: { path: { slug: id } }, body: { confirm: slug } });
      keep({ isHidden: false, done: [] });
      showSuccess(text.demoDataRemoved);
      await refreshOrg(queries, org);
      onRemoved();
    },
  });
  if (!project || (at === 'bottom') !== tour.isHidden) return null;

  const removeButton = org.may('deleteProject', project) && (
    <Button
      variant="default"
      c="var(--mantine-color-error)"
      size="compact-sm"
      loading={remove.isPending}
      onClick={remove.ask}
    >
      {text.removeDemoData}
    </Button>
  );
  const setHidden = (isHidden: boolean) => keep((kept) => ({ ...kept, isHidden }));
  if (at === 'bottom') {
    return (
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {text.hasDemoData}
        </Text>
        <Anchor component="button" type="button" size="sm" onClick={() => setHidden(false)}>
          {text.showTour}
        </Anchor>
        {removeButton}
      </Group>
    );
  }
  const setDone = (step: StepName, isDone: boolean) =>
    keep((kept) => ({
      ...kept,
      done: [...kept.done.filter((one) => one !== step), ...(isDone ? [step] : [])],
    }));
  return (
    <Tour
      actions={
        <>
          {removeButton}
          <Button variant="default" size="compact-sm" onClick={() => setHidden(true)}>
            {text.hideTour}
          </Button>
        </>
      }
    >
      {STEPS.map((step) => (
        <Step
          key={step}
          step={step}
          projectId={project.id}
          isDone={tour.done.includes(step)}
          onChange={(isDone) => setDone(step, isDone)}
        />
      ))}
    </Tour>
  );
}

/** As many steps beside each other as there is room for. */
const STEPS_STYLE = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 12rem), 1fr))',
  gap: 'var(--mantine-spacing-sm)',
  margin: 0,
  padding: 0,
  listStyle: 'none',
} as const;

function Tour({ actions, children }: { actions: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <Paper withBorder component="section" aria-labelledby={id} px="md" py="sm">
      <Group justify="space-between" gap="xs" align="flex-start" mb="xs">
        <div>
          <Title order={2} size="h3" id={id}>
            {text.tour}
          </Title>
          <Text size="sm" c="dimmed">
            {text.whatTourIs}
          </Text>
        </div>
        <Group gap="xs">{actions}</Group>
      </Group>
      <ol style={STEPS_STYLE}>{children}</ol>
    </Paper>
  );
}

interface StepProps {
  step: StepName;
  projectId: string;
  isDone: boolean;
  onChange: (isDone: boolean) => void;
}

/** A step, which is done when its link was followed or its box is ticked. */
function Step({ step, projectId, isDone, onChange }: StepProps) {
  const { title, hint, link } = text.steps[step];
  const queue = { ...ATTENTION, project_id: projectId };
  const props = { size: 'sm', onClick: () => onChange(true) } as const;
  return (
    <li>
      <Checkbox
        checked={isDone}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        label={title}
        description={hint((key) => <Kbd size="xs">{key}</Kbd>)}
        styles={{ label: { fontWeight: 500 }, description: { lineHeight: 1.6 } }}
      />
      <div style={{ paddingInlineStart: '2rem' }}>
        {step === 'push' ? (
          <OrgAnchor to="/o/$org/projects" {...props}>
            {link}
          </OrgAnchor>
        ) : (
          <OrgAnchor
            to="/o/$org/findings"
            search={step === 'group' ? { ...queue, group_by: 'rule' } : queue}
            {...props}
          >
            {link}
          </OrgAnchor>
        )}
      </div>
    </li>
  );
}
