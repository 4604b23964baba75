import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/sso.tsx';
import type { Schemas } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { Copyable } from '../components/Copy.tsx';
import { useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { SectionCard } from '../components/SectionCard.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { domainsQuery } from './queries.ts';

/** The domains of the organization, for owners. */
export function Domains() {
  const org = useOrg();
  const queries = useQueryClient();
  const domains = useQuery(domainsQuery(org));
  const [domain, setDomain] = useState('');
  const add = useMutation({
    mutationFn: () => org.api.post('/settings/domains', { body: { domain: domain.trim() } }),
    async onSuccess() {
      setDomain('');
      await queries.invalidateQueries(domainsQuery(org));
    },
  });
  return (
    <SectionCard title={text.ownDomains} description={text.whatDomainsDo}>
      <Loaded query={domains}>
        {(list) => (
          <Stack>
            {list.map((one) => (
              <DomainRow key={one.id} domain={one} />
            ))}
          </Stack>
        )}
      </Loaded>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <Stack gap="xs">
          <Group align="flex-end">
            <TextInput
              label={text.domain}
              value={domain}
              onChange={({ currentTarget }) => setDomain(currentTarget.value)}
            />
            <Button type="submit" variant="default" loading={add.isPending} disabled={domain.trim() === ''}>
              {text.addDomain}
            </Button>
          </Group>
          {add.error && <Problem error={add.error} />}
        </Stack>
      </form>
    </SectionCard>
  );
}

function DomainRow({ domain: { id, domain, record, verified } }: { domain: Schemas['OrgDomain'] }) {
  const org = useOrg();
  const queries = useQueryClient();
  const params = { path: { id } };
  const renew = () => queries.invalidateQueries(domainsQuery(org));
  const verify = useMutation({
    mutationFn: () => org.api.post('/settings/domains/{id}/verify', { params }),
    async onSuccess() {
      showSuccess(text.domainProven(domain));
      await renew();
    },
  });
  const remove = useConfirmed({
    title: text.askRemoveDomain(<bdi>{domain}</bdi>),
    children: <Text size="sm">{text.whatRemovalDoes}</Text>,
    confirm: text.removeDomain,
    color: 'red',
    mutationFn: () => org.api.delete('/settings/domains/{id}', { params }),
    async onSuccess() {
      showSuccess(text.domainRemoved);
      await renew();
    },
  });
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Group gap="xs">
          <Text size="sm" fw={500}>
            <bdi>{domain}</bdi>
          </Text>
          <StateBadge label={verified ? text.proven : text.notProven} color={verified ? 'teal' : 'orange'} />
        </Group>
        <Group gap="xs">
          {!verified && (
            <Button
              size="compact-sm"
              variant="default"
              loading={verify.isPending}
              onClick={() => verify.mutate()}
            >
              {text.verify}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            loading={remove.isPending}
            onClick={remove.ask}
          >
            {text.removeDomain}
          </Button>
        </Group>
      </Group>
      {!verified && (
        <div>
          <Text size="xs" c="dimmed">
            {text.txtRecord(<bdi>{record.name}</bdi>)}
          </Text>
          <Copyable value={record.value} />
        </div>
      )}
      {verify.error && <Problem error={verify.error} />}
    </Stack>
  );
}
