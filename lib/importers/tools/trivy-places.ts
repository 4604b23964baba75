import { posix } from 'node:path';
import type { Workspace } from '../importer.ts';
import { imageName } from '../kinds/dependency.ts';
import { isInWorkspace, plainPath, relativePath } from '../support.ts';
import { joined } from '../text/markdown.ts';
import type { Resource, Section } from './trivy-schema.ts';

/** Where the results of a target are. */
export interface Place {
  /** The entries of the report that contain the target ({@link Result.entries}). */
  entries: readonly unknown[];
  /** For display. */
  target: string | undefined;
  /** The path of the target; undefined if the target is no file, such as an image or a kind of package. */
  file: string | undefined;
  /** The path of a file in the scanned artifact. */
  fileOf(path: string | undefined): string | undefined;
  isOs: boolean;
  /** Whether its files are in the workspace. */
  isLocal: boolean;
  /** The identity of the artifact of a result. @param file undefined if the result has none */
  artifact(file: string | undefined): string;
  /** The identity of the target of a result without a file. */
  targetId: string | undefined;
  /** The identity of the artifact and a file in earlier releases. They refused the reports of clusters. */
  formerly?(file: string | undefined): [artifact: string, path: string | undefined];
}

/** Result types that group all packages of a kind, regardless of their location. */
const PACKAGE_KINDS = new Set(['python-pkg', 'conda-pkg', 'gemspec', 'node-pkg', 'jar']);

/** The target of operating system packages: `alpine:3.18 (alpine 3.18.4)`. */
const OS_TARGET = / \([a-z][\w. -]{0,60} v?\d[\w.-]{0,40}\)$/i;

export const isOsSection = ({ Class, Target }: Section) =>
  Class ? Class === 'os-pkgs' : OS_TARGET.test(Target ?? '');

/** Whether a target is a path. */
const isFile = (section: Section) => !isOsSection(section) && !PACKAGE_KINDS.has(section.Type ?? '');

/** A place in an image. */
export function inImage(section: Section, name: string | undefined): Place {
  const isOs = isOsSection(section);
  const artifact = imageName(name || (isOs && section.Target) || '');
  // The settings of the image have its name.
  const isImage = name !== undefined && `${section.Target} `.startsWith(`${name} `);
  const fileOf = (path: string | undefined) => plainPath(path);
  return {
    entries: [],
    target: section.Target,
    file: isFile(section) && !isImage ? fileOf(section.Target) : undefined,
    fileOf,
    isOs,
    isLocal: false,
    artifact: () => artifact,
    targetId: isImage ? artifact : section.Target,
    formerly: (file) => [artifact, file ?? section.Target],
  };
}

/** A place in a resource of a cluster. None of its targets is a file of the workspace. */
export function inCluster(section: Section, cluster: string, parent: Resource): Place {
  const { Namespace, Kind, Name } = parent;
  const resource = joined([Namespace, Kind, Name], '/');
  const isOs = isOsSection(section);
  const isResource = section.Target === `${Kind}/${Name}`;
  return {
    entries: [parent],
    target: joined([resource, !isResource && section.Target], ': '),
    file: undefined,
    fileOf: () => undefined,
    isOs: false,
    isLocal: false,
    artifact: () => cluster,
    targetId: joined([resource, isOs ? imageName(section.Target ?? '') : !isResource && section.Target], ' '),
  };
}

/** A place in a directory, file or SBOM of the workspace, or in a remote repository. */
export function inWorkspace(
  section: Section,
  name: string | undefined,
  type: string | undefined,
  workspace: Workspace,
): Place {
  const isRemote = /^(?:[a-z][a-z+]*:\/\/|git@)/i.test(name ?? '');
  const isSbom = type === 'cyclonedx' || type === 'spdx';
  const isOs = isOsSection(section);
  const folder = relativePath(name, workspace);
  const former = relativePath(name, { directory: workspace.directory }) ?? '';
  const isArn = /^arn:/.test(section.Target ?? '');
  /** Paths are relative to the scanned directory. */
  const fileOf = (path: string | undefined) => {
    if (!path || isRemote) return plainPath(path);
    if (isSbom || isInWorkspace(path, workspace)) return relativePath(path, workspace);
    // A file was scanned.
    if (folder && `/${folder}`.endsWith(`/${path}`)) return folder;
    return plainPath(joined([folder, path], '/'));
  };
  return {
    entries: [],
    target: section.Target,
    file: isFile(section) && !isArn ? fileOf(section.Target) : undefined,
    fileOf,
    isOs,
    isLocal: !isRemote,
    // The path of the file contains it.
    artifact: (file) => (isRemote || isSbom || !file ? (folder ?? '') : ''),
    targetId: section.Target,
    formerly: (file) => [
      former,
      !file
        ? section.Target
        : isRemote || isSbom
          ? file
          : posix.relative(former, file) || posix.basename(file),
    ],
  };
}
