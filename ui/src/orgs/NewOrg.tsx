import { Button, Code, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import * as text from '#strings/orgs.ts';
import { slugFrom } from '../../../lib/orgs/slugs.ts';
import { api } from '../app/api.ts';
import { useMe } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { orgSlugProblem } from '../components/forms/rules.ts';
import { useSend } from '../components/forms/use-send.ts';
import { LinkButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';

const REFUSED: Record<string, string> = {
  slug_taken: text.slugTaken,
  slug_reserved: text.slugReserved,
};

/** Creates an organization. */
export function NewOrg() {
  const { orgs } = useMe();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const [isOwnSlug, setOwnSlug] = useState(false);
  const form = useForm({
    initialValues: { name: '', slug: '' },
    validate: {
      name: (value) => (value.trim() === '' ? text.enterName : null),
      slug: (value) => orgSlugProblem(value) ?? null,
    },
  });
  const { name, slug } = form.values;
  const create = useSend(form, {
    send: async (body) => (await api.post('/orgs', { body })).result,
    onSent: (org) => {
      localStorage.setItem('org', org.slug);
      location.assign(site.orgUrl(org.slug));
    },
    errorsOf: ({ code }) => (REFUSED[code] ? { slug: REFUSED[code] } : undefined),
  });
  // The error is also shown for a slug generated from the name.
  const live = slug !== '' || name.trim() !== '' ? orgSlugProblem(slug) : undefined;
  const fields = form.getInputProps('slug');

  return (
    <Page title={text.newOrganization} description={text.forATeam}>
      <Paper withBorder p="lg" radius="md" maw={560}>
        <form noValidate onSubmit={create.submit}>
          <Stack>
            {create.problem !== undefined && <Problem error={create.problem} />}
            <TextInput
              label={text.name}
              autoFocus
              required
              withAsterisk={false}
              maxLength={200}
              dir="auto"
              autoComplete="organization"
              {...form.getInputProps('name')}
              onChange={({ currentTarget }) => {
                form.setFieldValue('name', currentTarget.value);
                if (!isOwnSlug) form.setFieldValue('slug', slugFrom(currentTarget.value));
              }}
            />
            <TextInput
              label={text.slug}
              description={text.whatSlugIs}
              required
              withAsterisk={false}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              {...fields}
              error={fields.error ?? live}
              onChange={({ currentTarget }) => {
                // An empty slug follows the name again.
                setOwnSlug(currentTarget.value !== '');
                form.setFieldValue('slug', currentTarget.value);
              }}
            />
            <div aria-live="polite">
              <Text size="sm" c="dimmed">
                {text.address}
              </Text>
              <Code fz="sm">{site.orgUrl(orgSlugProblem(slug) ? '…' : slug)}</Code>
            </div>
            <Group justify="flex-end">
              {orgs.length > 0 && (
                <LinkButton to="/orgs" variant="default">
                  {text.cancel}
                </LinkButton>
              )}
              <Button type="submit" loading={create.isPending || create.isSuccess}>
                {text.createOrganization}
              </Button>
            </Group>
          </Stack>
        </form>
      </Paper>
    </Page>
  );
}
