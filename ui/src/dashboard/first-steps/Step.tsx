import { Paper, Text, ThemeIcon, Title, VisuallyHidden } from '@mantine/core';
import { usePrevious } from '@mantine/hooks';
import { IconCheck } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './Step.module.css';

export type StepState = 'done' | 'current' | 'todo';

interface Props {
  number: number;
  title: string;
  state: StepState;
  /** What came of it, once it is done. */
  outcome?: ReactNode;
  /** Whether it takes the focus when its turn comes: what had it is gone with the step before. */
  takesFocus?: boolean;
  /** Shown in its turn. */
  children?: ReactNode;
}

/** The steps, one below the other. */
export const Steps = ({ children }: { children: ReactNode }) => <ol className={classes.steps}>{children}</ol>;

/** One of several steps, of which the current one is open. */
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
          {state === 'done' && <VisuallyHidden> (done)</VisuallyHidden>}
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
