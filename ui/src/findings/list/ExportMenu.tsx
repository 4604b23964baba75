import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import * as text from '#strings/findings/list.tsx';
import { ServiceError } from '../../app/api.ts';
import { stringifySearch } from '../../app/search.ts';
import { useOrg } from '../../app/session.ts';
import { Advice } from '../../components/errors/Problem.tsx';
import { problemOf } from '../../components/errors/problem.ts';
import { LazyMenu } from '../../components/floating/LazyMenu.tsx';
import { saveFile } from '../../components/save-file.ts';
import { IconDownload, IconPrinter, IconX } from '../../icons/icons.ts';
import { requestPrint } from '../../report/report-queries.ts';
import type { FindingFilter } from '../list-queries.ts';

/** Exports all matching findings as a file. */
export function ExportMenu({ filter, disabled }: { filter: FindingFilter; disabled: boolean }) {
  const { slug } = useOrg();
  const navigate = useNavigate();
  const [bytes, setBytes] = useState(0);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  const { mutate, isPending, variables } = useMutation({
    mutationFn: async (format: Format) => {
      const controller = new AbortController();
      abort.current = controller;
      let shown = 0;
      setBytes(0);
      const file = await exportFindings(slug, filter, format, controller.signal, (bytes) => {
        if (performance.now() - shown < 200) return;
        shown = performance.now();
        setBytes(bytes);
      });
      saveFile(file);
      return file;
    },
    onSuccess: ({ name, size }) =>
      notifications.show({
        color: 'teal',
        title: text.exportComplete,
        message: text.fileWithSize(name, size),
      }),
    onError: (error) => {
      if (abort.current?.signal.aborted) return;
      notifications.show({
        color: 'red',
        title: text.exportFailed(problemOf(error).title),
        message: <Advice error={error} />,
        autoClose: false,
      });
    },
  });

  if (isPending) {
    return (
      <Button
        variant="default"
        rightSection={<IconX size={16} aria-hidden />}
        onClick={() => abort.current?.abort()}
        aria-label={text.cancelExport(FORMATS[variables].name)}
      >
        {text.exporting(FORMATS[variables].name, bytes)}
      </Button>
    );
  }
  return (
    <LazyMenu
      position="bottom-end"
      width={280}
      button={(props) => (
        <Button
          {...props}
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={disabled}
        >
          {text.exportList}
        </Button>
      )}
    >
      {(Menu) => (
        <>
          <Menu.Label>{text.exportAll}</Menu.Label>
          {(Object.keys(FORMATS) as Format[]).map((format) => (
            <Menu.Item key={format} onClick={() => mutate(format)}>
              {FORMATS[format].name}
              <Text span size="xs" c="dimmed">
                {' '}
                {FORMATS[format].hint}
              </Text>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconPrinter size={16} aria-hidden />}
            onClick={() => {
              requestPrint();
              navigate({ to: '/o/$org/report', params: { org: slug }, search: filter });
            }}
          >
            {text.printReport}
          </Menu.Item>
        </>
      )}
    </LazyMenu>
  );
}

const FORMATS = text.formats;

type Format = keyof typeof FORMATS;

/**
 * Downloads the matching findings as a file. A link cannot be used, because it cannot send the header that names the
 * organization.
 * @param onBytes called with the number of bytes received
 */
async function exportFindings(
  slug: string,
  filter: FindingFilter,
  format: Format,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<File> {
  const path =
    format === 'spreadsheet'
      ? `/export.csv${stringifySearch({ ...filter, layout: format })}`
      : stringifySearch({ ...filter, format });
  const response = await fetch(`/api/v1/findings${path}`, {
    headers: { 'x-org-slug': slug },
    signal,
  });
  if (!response.ok || !response.body) {
    throw new ServiceError(response, await response.json().catch(() => undefined));
  }
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        onBytes(bytes);
        controller.enqueue(chunk);
      },
    }),
  );
  const type = response.headers.get('content-type') ?? '';
  const blob = await new Response(counted).blob();
  const said = /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  return new File([blob], said ?? `findings.${format}`, { type });
}
