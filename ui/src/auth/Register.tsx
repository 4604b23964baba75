import { Alert, Text } from '@mantine/core';
import { IconMailCheck } from '@tabler/icons-react';
import { getRouteApi, useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import { WeakPassword } from '../components/forms/WeakPassword.tsx';
import { LinkAnchor, LinkButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { Leave } from './ContinueLink.tsx';
import { type Registered, RegisterForm } from './RegisterForm.tsx';
import { closedRegistration } from './return-to.ts';

const route = getRouteApi('/_public/register');

/** Makes an account, with an organization of its own. */
export function Register() {
  const search = route.useSearch();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const [registered, setRegistered] = useState<Registered>();
  const [closed, setClosed] = useState(false);

  if (registered) {
    const { name, email, org, message } = registered;
    return (
      <Page title="Welcome" heading={<>Welcome, {<bdi>{name}</bdi>}</>}>
        <Alert role="status" color="teal" icon={<IconMailCheck />} title="Your account is ready">
          A link is on its way to <bdi>{email}</bdi>. Open it within 24 hours to verify the address.
        </Alert>
        <WeakPassword message={message} />
        {org && (
          <Text size="sm">
            Your first organization is <b dir="auto">{org.name}</b>. You can invite others to it, or be
            invited to theirs.
          </Text>
        )}
        <Leave to={org ? site.orgUrl(org.slug) : '/'}>{org ? 'To your organization' : 'Continue'}</Leave>
      </Page>
    );
  }
  if (closed) {
    return (
      <Page title="Registration is closed">
        <Text>
          New accounts cannot be made here at the moment. Ask an admin of your organization to invite you: the
          invitation comes by mail, with a link to set a password.
        </Text>
        <LinkButton to="/login" search={search} variant="default">
          Log in with an account
        </LinkButton>
      </Page>
    );
  }
  return (
    <Page title="Create your account">
      <RegisterForm
        email={search.email ?? ''}
        onDone={(made) => {
          closedRegistration.forget();
          setRegistered(made);
        }}
        onClosed={() => {
          closedRegistration.remember();
          setClosed(true);
        }}
      />
      <Text size="sm" ta="center">
        Do you have one already?{' '}
        <LinkAnchor to="/login" search={search} underline="always">
          Log in
        </LinkAnchor>
      </Text>
    </Page>
  );
}
