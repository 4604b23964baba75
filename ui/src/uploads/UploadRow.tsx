import { ActionIcon, Button, Group, Loader, Progress, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import * as words from '#strings/uploads.tsx';
import { byteSize } from '../components/bytes.ts';
import { Copy } from '../components/Copy.tsx';
import { Tip } from '../components/floating/Tip.tsx';
import { IconAlertTriangle, IconCheck, IconCircleX, IconClock, IconX } from '../icons/icons.ts';
import { UploadResult } from './UploadResult.tsx';
import classes from './Uploads.module.css';
import { isActive, type Upload } from './upload.ts';
import { type UploadProblem, uploadProblem } from './upload-problem.ts';

interface Props {
  upload: Upload;
  onCancel: () => void;
  onRetry: () => void;
  /** @param next the element that takes the focus; undefined if the list is empty */
  onRemove: (next: HTMLElement | undefined) => void;
}

/** One file: its progress, result or error. */
export function UploadRow({ upload, onCancel, onRetry, onRemove }: Props) {
  const { label, file } = upload;
  const row = useRef<HTMLLIElement>(null);
  const active = isActive(upload);
  const action = (active ? words.cancelUpload : words.removeFile)(label);
  const neighbour = () => {
    const other = row.current?.nextElementSibling ?? row.current?.previousElementSibling;
    return other?.querySelector<HTMLElement>('[data-end]') ?? undefined;
  };
  const retry = () => {
    // The clicked button disappears.
    row.current?.querySelector<HTMLElement>('[data-end]')?.focus();
    onRetry();
  };
  return (
    <li className={classes.row} ref={row}>
      <div className={classes.icon}>{iconOf(upload)}</div>
      <div>
        <div className={classes.name}>
          <Text size="sm" fw={500} component="bdi">
            {label}
          </Text>
          {file && (
            <Text size="xs" c="dimmed" span>
              {byteSize(file.size)}
            </Text>
          )}
        </div>
        <Detail upload={upload} onRetry={retry} />
      </div>
      <Tip label={active ? words.cancel : words.removeFromList}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={action}
          data-end
          onClick={() => (active ? onCancel() : onRemove(neighbour()))}
        >
          <IconX size={16} />
        </ActionIcon>
      </Tip>
    </li>
  );
}

function iconOf(upload: Upload): ReactNode {
  const { state } = upload;
  const failure = <IconCircleX size={18} color="var(--mantine-color-error)" aria-hidden />;
  switch (state.kind) {
    case 'queued':
    case 'waiting':
      return <IconClock size={18} color="var(--mantine-color-dimmed)" aria-hidden />;
    case 'imported': {
      const { status, error_message } = state.report.scan;
      if (status === 'failed') return failure;
      if (error_message) {
        return <IconAlertTriangle size={18} color="var(--severity-medium)" aria-hidden />;
      }
      return <IconCheck size={18} color="var(--mantine-color-teal-text)" aria-hidden />;
    }
    case 'failed':
    case 'refused':
      return failure;
    case 'canceled':
      return <IconCircleX size={18} color="var(--mantine-color-dimmed)" aria-hidden />;
    default:
      return <Loader size={16} aria-hidden />;
  }
}

function Detail({ upload, onRetry }: { upload: Upload; onRetry: () => void }) {
  const { state, file, label } = upload;
  switch (state.kind) {
    case 'queued':
      return <Note>{words.queued}</Note>;
    case 'compressing':
      return <Bar label={label} text={words.compressing} />;
    case 'sending': {
      const { sent, total } = state;
      const describe = file && total < file.size ? words.sentCompressed : words.sent;
      return (
        <Bar
          label={label}
          percent={total === 0 ? 0 : Math.floor((sent / total) * 100)}
          text={describe(byteSize(Math.min(sent, total)), byteSize(total))}
        />
      );
    }
    case 'importing':
      return <Bar label={label} text={words.importing} />;
    case 'waiting':
      return <Wait until={state.until} />;
    case 'imported':
      return <UploadResult report={state.report} />;
    case 'refused':
      return <Failure problem={state} />;
    case 'canceled':
      return (
        <Stack gap={6}>
          <Note>{state.wasSent ? words.canceledLate : words.canceled}</Note>
          <Again onRetry={onRetry}>{words.uploadAgain}</Again>
        </Stack>
      );
    case 'failed': {
      const problem = uploadProblem(state.error, file?.name ?? '', state.wasSent);
      return (
        <Failure problem={problem}>
          {!problem.isFinal && <Again onRetry={onRetry}>{words.tryAgain}</Again>}
        </Failure>
      );
    }
  }
}

const Note = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
);

const Again = ({ onRetry, children }: { onRetry: () => void; children: ReactNode }) => (
  <Group>
    <Button size="xs" variant="default" onClick={onRetry}>
      {children}
    </Button>
  </Group>
);

/** @param props without `percent`, the progress is unknown */
function Bar({ label, percent, text }: { label: string; percent?: number; text: string }) {
  const known = percent !== undefined;
  return (
    <div>
      <Progress.Root size="sm" mt={2} mb={4}>
        <Progress.Section
          value={percent ?? 100}
          animated={!known}
          withAria={known}
          {...(known && { 'aria-label': words.uploadOf(label) })}
        />
      </Progress.Root>
      <Note>{text}</Note>
    </div>
  );
}

function Wait({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  return <Note>{words.busy(seconds)}</Note>;
}

function Failure({ problem, children }: { problem: UploadProblem; children?: ReactNode }) {
  const { title, advice, position, formats, action, requestId } = problem;
  return (
    <Stack gap={6}>
      <div>
        <Text size="sm" c="var(--mantine-color-error)" fw={500}>
          {title}
        </Text>
        <Text size="sm" className={classes.message}>
          {advice}
        </Text>
        {position !== undefined && (
          <Text size="sm" className={classes.message}>
            {words.position(<code>{position}</code>)}
          </Text>
        )}
        {formats !== undefined && <Formats formats={formats} />}
        {requestId !== undefined && (
          <Group gap={4}>
            <Text size="xs" c="dimmed">
              {words.request(<code>{requestId}</code>)}
            </Text>
            <Copy value={requestId} label={words.copyRequestId} />
          </Group>
        )}
      </div>
      {action ? (
        <Group gap="xs">
          <Button component="a" href={action.href} size="xs">
            {action.label}
          </Button>
          {children}
        </Group>
      ) : (
        children
      )}
    </Stack>
  );
}

function Formats({ formats }: { formats: string }) {
  const count = formats.split(',').length;
  // The message names a single format.
  if (count === 1) return null;
  return (
    <Text size="sm" component="details">
      <summary>{words.formatsTried(count)}</summary>
      {formats}
    </Text>
  );
}
