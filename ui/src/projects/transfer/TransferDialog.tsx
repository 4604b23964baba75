import { List, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import * as text from '#strings/projects/transfer.tsx';
import type { Schemas } from '../../app/api.ts';
import { useOrg } from '../../app/session.ts';
import { TypedConfirmation } from '../../deletion/TypedConfirmation.tsx';

interface Props {
  opened: boolean;
  onClose(): void;
  project: Schemas['Project'];
  /** The organizations to choose from. */
  orgs: readonly { slug: string; name: string }[];
  onStarted(transfer: Schemas['ProjectTransfer']): Promise<void>;
}

const MAX_SLUG = 50;

/** Asks where to transfer a project, and to type its slug. */
export function TransferDialog({ opened, onClose, project, orgs, onStarted }: Props) {
  const { id, name, slug } = project;
  const org = useOrg();
  const [target, setTarget] = useState<string | null>(null);
  const [newSlug, setNewSlug] = useState(slug);
  const transfer = async () => {
    if (target === null) return;
    const { result } = await org.api.post('/projects/{slug}/transfer', {
      params: { path: { slug: id } },
      body: { organization: target, confirm: slug, slug: newSlug.trim() || slug },
    });
    await onStarted(result);
  };
  return (
    <TypedConfirmation
      opened={opened}
      onClose={onClose}
      title={<bdi>{text.transferThisProject(name)}</bdi>}
      word={slug}
      label={text.transferProject}
      deletes={false}
      isReady={target !== null}
      onConfirm={transfer}
      fields={
        <>
          <Select
            label={text.organization}
            placeholder={text.chooseOrg}
            data={orgs.map((one) => ({ value: one.slug, label: text.orgChoice(one.name, one.slug) }))}
            value={target}
            onChange={setTarget}
            allowDeselect={false}
            searchable={orgs.length > 9}
            data-autofocus
          />
          <TextInput
            label={text.newSlug}
            description={text.whyNewSlug}
            value={newSlug}
            onChange={(event) => setNewSlug(event.currentTarget.value)}
            maxLength={MAX_SLUG}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </>
      }
    >
      <List size="sm" spacing={4}>
        {text.consequences.map((one) => (
          <List.Item key={one}>{one}</List.Item>
        ))}
      </List>
    </TypedConfirmation>
  );
}
