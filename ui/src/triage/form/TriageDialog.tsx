import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import * as text from '#strings/triage/form.tsx';
import { titleOf } from '../../findings/title.ts';
import { TriageForm } from './TriageForm.tsx';
import type { FormRequest } from './triage-form.ts';

interface Props {
  opened: boolean;
  request: FormRequest | undefined;
  onClose(): void;
}

/** The triage form as a dialog. */
export function TriageDialog({ request, opened, onClose }: Props) {
  const narrow = useMediaQuery('(max-width: 36em)', undefined, { getInitialValueInEffect: false });
  // The dialog keeps its content while it closes.
  const [last, setLast] = useState(request);
  if (request && request !== last) setLast(request);
  const shown = request ?? last;
  if (!shown) return null;
  const { findings, count = findings.length } = shown;
  const [first] = findings;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      yOffset="6vh"
      fullScreen={narrow ?? false}
      title={first && count === 1 ? text.triageFinding(titleOf(first.title)) : text.triageFindings(count)}
      styles={{
        title: {
          overflowWrap: 'anywhere',
          display: '-webkit-box',
          WebkitBoxOrient: 'vertical',
          WebkitLineClamp: 3,
          overflow: 'hidden',
        },
      }}
    >
      <TriageForm
        key={`${count} ${findings.map(({ id }) => id).join()}`}
        {...shown}
        opened={opened}
        onCancel={onClose}
        onDecide={(decision, assignee) => {
          onClose();
          shown.onDecide(decision, assignee);
        }}
      />
    </Modal>
  );
}
