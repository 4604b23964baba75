import { Button, Stack } from '@mantine/core';
import { passkey } from '#strings/auth/passkeys.tsx';
import * as text from '#strings/auth/second-factor.tsx';
import { IconDeviceMobile, IconFingerprint, IconLifebuoy, IconMail } from '../../icons/icons.ts';
import type { Method } from './second-factor.ts';

interface Props {
  methods: readonly Method[];
  chosen: Method | 'recovery' | undefined;
  disabled: boolean;
  onChoose: (method: Method | 'recovery') => void;
}

const ICONS = { totp: IconDeviceMobile, email: IconMail, passkey: IconFingerprint };

function labelOf({ type, name }: Method) {
  if (type === 'passkey') return passkey;
  return (type === 'totp' ? text.authenticatorApp : text.codeByMail)(<bdi>{name}</bdi>);
}

/** The other methods. */
export function MethodButtons({ methods, chosen, disabled, onChoose }: Props) {
  const look = {
    variant: 'default',
    justify: 'flex-start',
    fullWidth: true,
    disabled,
    // Long addresses wrap on narrow screens.
    h: 'auto',
    mih: 36,
    py: 6,
    styles: { label: { whiteSpace: 'normal', textAlign: 'start', lineHeight: 1.3 } },
  } as const;
  return (
    <Stack gap="xs">
      {methods
        .filter((method) => method !== chosen)
        .map((method) => {
          const Icon = ICONS[method.type];
          return (
            <Button
              key={method.id}
              {...look}
              leftSection={<Icon size={18} aria-hidden />}
              onClick={() => onChoose(method)}
            >
              <span>{labelOf(method)}</span>
            </Button>
          );
        })}
      {chosen !== 'recovery' && (
        <Button
          {...look}
          leftSection={<IconLifebuoy size={18} aria-hidden />}
          onClick={() => onChoose('recovery')}
        >
          {text.recoveryCode}
        </Button>
      )}
    </Stack>
  );
}
