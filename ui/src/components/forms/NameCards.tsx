import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import * as text from '#strings/components/forms.ts';
import { ServiceError } from '../../app/api.ts';
import { SettingsCard } from './SettingsCard.tsx';

interface NameProps {
  name: string;
  description: string;
  /** @returns the name that the service has stored */
  save(name: string): Promise<string>;
}

/** The setting of a name. */
export function NameCard({ name, description, save }: NameProps) {
  const form = useForm({
    initialValues: { name },
    validate: { name: (name) => (name.trim() === '' ? text.enterName : null) },
  });
  return (
    <SettingsCard
      title={text.name}
      description={description}
      form={form}
      saved={text.nameSaved}
      save={async ({ name }) => ({ name: await save(name.trim()) })}
    >
      <TextInput
        aria-label={text.name}
        maxLength={200}
        maw="32rem"
        autoComplete="off"
        {...form.getInputProps('name')}
      />
    </SettingsCard>
  );
}

interface SlugProps {
  slug: string;
  description: string;
  /** The error of a slug with another form. */
  problemOf(slug: string): string | null;
  /** @returns the slug that the service has stored */
  save(slug: string): Promise<string>;
  /** The error of the field by the code of an error of the service. */
  refusals: Readonly<Record<string, string>>;
}

/** The setting of a slug, which is in the address of the page. */
export function SlugCard({ slug, description, problemOf, save, refusals }: SlugProps) {
  const form = useForm({
    initialValues: { slug },
    validate: { slug: problemOf },
    validateInputOnBlur: true,
  });
  const saveSlug = async ({ slug }: { slug: string }) => {
    try {
      return { slug: await save(slug) };
    } catch (error) {
      const refusal = error instanceof ServiceError ? refusals[error.code] : undefined;
      if (refusal) form.setFieldError('slug', refusal);
      throw error;
    }
  };
  return (
    <SettingsCard
      title={text.slug}
      description={description}
      form={form}
      saved={text.slugSaved}
      movesPage
      save={saveSlug}
    >
      <TextInput
        aria-label={text.slug}
        maxLength={50}
        maw="32rem"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('slug')}
      />
    </SettingsCard>
  );
}
