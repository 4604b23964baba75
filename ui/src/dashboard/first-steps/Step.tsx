import { Paper, Text, ThemeIcon, Title, VisuallyHidden } from '@mantine/core';
import { usePrevious } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import * as text from '#strings/dashboard/first-steps.tsx';
import { IconCheck } from '../../icons/icons.ts';
import classes from './Step.module.css';

export type StepState = 'done' | 'current' | 'todo';

interface Props {
  number: number;
  title: string;
  state: StepState;
  /** The outcome of the completed step. */
  outcome?: ReactNode;
  /** Whether the step takes the focus when it becomes current. The form of the previous step had it before. */
  takesFocus?: boolean;
  /** Shown while the step is current. */
  children?: ReactNode;
}

/** A list of steps. */
export const Steps = ({ children }: { children: ReactNode }) => <ol className={classes.steps}>{children}</ol>;

/** One step. The current one is open. */
export function Step({ number, title, state, outcome, takesFocus, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = usePrevious(state);
  useEffect(() => {
    if (takesFocus && before === 'todo' && state === 'current') heading.current?.focus();
  }, [takesFocus, before, state]);
  return (
    <Paper
      component="li"
      withBorder
      className={classes.step}
      data-state={state}
      {...(state === 'current' && { 'aria-current': 'step' as const })}
    >
      <ThemeIcon
        radius="xl"
        size={32}
        variant={state === 'todo' ? 'default' : 'filled'}
        color={state === 'done' ? 'teal.8' : 'indigo'}
        aria-hidden
      >
        {state === 'done' ? <IconCheck size={18} /> : <Text fw={600}>{number}</Text>}
      </ThemeIcon>
      <div>
        <Title order={2} size="h3" lh="2rem" ref={heading} tabIndex={-1}>
          {title}
          {state === 'done' && <VisuallyHidden>{text.done}</VisuallyHidden>}
        </Title>
        {state === 'done' && outcome && (
          <Text size="sm" c="dimmed" component="div">
            {outcome}
          </Text>
        )}
      </div>
      <div className={classes.body}>{children}</div>
    </Paper>
  );
}
