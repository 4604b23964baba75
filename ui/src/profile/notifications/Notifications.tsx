import { Alert, Button, Group, Select, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/profile/notifications.ts';
import { api, type Schemas } from '../../app/api.ts';
import { useMe } from '../../app/session.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { showSuccess } from '../../components/errors/toasts.ts';
import { useSend } from '../../components/forms/use-send.ts';
import { Loaded } from '../../components/Loaded.tsx';
import { SectionHead } from '../../components/SectionHead.tsx';
import { emailsQuery } from '../queries.ts';
import classes from './Notifications.module.css';

type Settings = Schemas['Notifications'];
type Kind = keyof typeof text.kinds;

const KINDS = Object.keys(text.kinds) as Kind[];
const TIMES = Object.entries(text.times).map(([value, label]) => ({ value, label }));
const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}));

const notificationsQuery = queryOptions({
  queryKey: ['profile', 'notifications'],
  queryFn: async ({ signal }) => (await api.get('/profile/notifications', { signal })).result,
});

/** The mails about findings that the user gets. */
export function Notifications() {
  const { user } = useMe();
  const settings = useQuery(notificationsQuery);
  const primary = useQuery(emailsQuery).data?.find((email) => email.is_primary);
  return (
    <Stack>
      <SectionHead title={text.title} description={<bdi>{text.what(user.email)}</bdi>} />
      {primary?.verified === false && (
        <Alert role="note" color="yellow">
          {text.unverified}
        </Alert>
      )}
      <Loaded query={settings}>{(found) => <NotificationsForm settings={found} />}</Loaded>
    </Stack>
  );
}

const isOff = (settings: Settings) => KINDS.every((kind) => settings[kind] === 'off');

/** The time zone of the browser is proposed to somebody who has chosen no mail yet. */
function toValues(settings: Settings) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { ...settings, hour: String(settings.hour), time_zone: isOff(settings) ? own : settings.time_zone };
}

function NotificationsForm({ settings }: { settings: Settings }) {
  const queries = useQueryClient();
  const form = useForm({
    initialValues: toValues(settings),
    validate: { time_zone: (zone) => (zone ? null : text.unknownTimeZone) },
  });
  const save = useSend(form, {
    send: ({ hour, ...others }) =>
      api.put('/profile/notifications', { body: { ...others, hour: Number(hour) } }),
    onSent({ result }) {
      queries.setQueryData(notificationsQuery.queryKey, result);
      showSuccess(text.saved);
    },
  });
  return (
    <form noValidate onSubmit={save.submit}>
      <Stack maw={640}>
        <div className={classes.kinds}>
          {KINDS.map((kind) => (
            <div key={kind} className={classes.kind}>
              <span id={`notify-${kind}`}>{text.kinds[kind]}</span>
              <Select
                aria-labelledby={`notify-${kind}`}
                className={classes.time}
                allowDeselect={false}
                data={TIMES}
                {...form.getInputProps(kind)}
              />
            </div>
          ))}
        </div>
        <Group align="flex-start">
          <Select
            label={text.timeZone}
            flex="1 1 14rem"
            searchable
            allowDeselect={false}
            data={zones(settings.time_zone)}
            limit={100}
            {...form.getInputProps('time_zone')}
          />
          <Select
            label={text.hour}
            description={text.weeklyOnMondays}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            flex="1 1 14rem"
            allowDeselect={false}
            data={HOURS}
            {...form.getInputProps('hour')}
          />
        </Group>
        {save.problem !== undefined && <Problem error={save.problem} />}
        <Group>
          <Button type="submit" loading={save.isPending}>
            {text.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The time zones that the browser knows, with UTC and the stored one, which another browser may have known. */
const zones = (stored: string): string[] =>
  [...new Set(['UTC', stored, ...Intl.supportedValuesOf('timeZone')])].toSorted();
