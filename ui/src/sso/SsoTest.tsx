import { Alert, Code, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/sso.tsx';
import { api } from '../app/api.ts';
import { Loaded } from '../components/Loaded.tsx';
import { Page } from '../components/Page.tsx';

/** The result of a test, for the parameters that the provider added to the address. */
async function readResult() {
  const query = Object.fromEntries(new URLSearchParams(location.search));
  const { result } = await api.get('/auth/sso/callback', { params: { query } });
  return result;
}

/** Shows what a provider says about the person who tests a connection, and the role that it gives. */
export function SsoTest() {
  // The code of the provider works once.
  const test = useQuery({
    queryKey: ['sso-test'],
    queryFn: readResult,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Page title={text.testTitle}>
      <Loaded query={test}>
        {(result) =>
          'claims' in result ? (
            <Stack>
              <Text size="sm">{text.nobodySignedIn}</Text>
              {result.warnings.map((warning) => (
                <Alert key={warning} color="yellow">
                  {warning}
                </Alert>
              ))}
              <Facts
                facts={[
                  [text.resultRole, result.role ? text.roles[result.role] : text.noAccess],
                  [text.resultAddress, result.email ?? text.none],
                  [text.resultGroups, result.groups.join(', ') || text.none],
                  [text.resultMfa, result.mfa ? text.yes : text.no],
                ]}
              />
              <Title order={2}>{text.claims}</Title>
              <Code block dir="auto" tabIndex={0}>
                {JSON.stringify(result.claims, null, 2)}
              </Code>
            </Stack>
          ) : null
        }
      </Loaded>
    </Page>
  );
}

const Facts = ({ facts }: { facts: [string, string][] }) => (
  <dl style={{ margin: 0 }}>
    {facts.map(([label, value]) => (
      <div key={label}>
        <Text component="dt" size="xs" c="dimmed">
          {label}
        </Text>
        <Text component="dd" size="sm" m={0} mb="xs">
          <bdi>{value}</bdi>
        </Text>
      </div>
    ))}
  </dl>
);
