import { Button, Stack } from '@mantine/core';
import * as text from '#strings/auth/second-factor.tsx';
import { IconDeviceMobile, IconLifebuoy, IconMail } from '../../icons/icons.ts';
import type { Method } from './second-factor.ts';

interface Props {
  methods: readonly Method[];
  chosen: Method | 'recovery' | undefined;
  disabled: boolean;
  onChoose: (method: Method | 'recovery') => void;
}

/** The other methods to get a code. */
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
          const Icon = method.type === 'totp' ? IconDeviceMobile : IconMail;
          return (
            <Button
              key={method.id}
              {...look}
              leftSection={<Icon size={18} aria-hidden />}
              onClick={() => onChoose(method)}
            >
              <span>
                {(method.type === 'totp' ? text.authenticatorApp : text.codeByMail)(<bdi>{method.name}</bdi>)}
              </span>
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
