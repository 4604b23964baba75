import { List, PasswordInput, type PasswordInputProps, VisuallyHidden } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { useState } from 'react';
import * as text from '#strings/components/forms.ts';
import { IconCheck, IconPoint } from '../../icons/icons.ts';
import { PASSWORD_RULES } from './rules.ts';

/** A field for an existing password. */
export function PasswordField(props: PasswordInputProps) {
  const [visible, setVisible] = useState(false);
  return (
    <PasswordInput
      autoComplete="current-password"
      withAsterisk={false}
      visible={visible}
      onVisibilityChange={setVisible}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': visible ? text.hidePassword : text.showPassword }}
      {...props}
    />
  );
}

/** A field for a new password, with the requirements that it meets. */
export function NewPasswordField({ value, ...props }: PasswordInputProps & { value: string }) {
  const id = useId();
  return (
    <div>
      <PasswordField autoComplete="new-password" value={value} aria-describedby={id} {...props} />
      <List
        id={id}
        size="sm"
        mt={6}
        spacing={0}
        center
        listStyleType="none"
        styles={{ root: { display: 'grid', gridTemplateColumns: 'repeat(auto-fill, minmax(11rem, 1fr))' } }}
      >
        {PASSWORD_RULES.map(({ label, holds }) => {
          const met = holds(value);
          return (
            <List.Item
              key={label}
              c={met ? 'var(--mantine-color-text)' : 'dimmed'}
              icon={
                met ? (
                  <IconCheck size={16} color="var(--mantine-color-teal-filled)" aria-hidden />
                ) : (
                  <IconPoint size={16} aria-hidden />
                )
              }
            >
              {label}
              <VisuallyHidden> {met ? text.met : text.notMet}</VisuallyHidden>
            </List.Item>
          );
        })}
      </List>
    </div>
  );
}
