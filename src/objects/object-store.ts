/**
 * Objects: named sequences of bytes in a bucket. What a cluster keeps outside of its machines.
 *
 * Ensures   `put` and `complete` are atomic: a reader sees the whole object or none of it. What a
 *           call has stored, every later call sees. A call that throws may still have stored its
 *           object (an answer can be lost), so callers use a name once or put a condition on it.
 *           Conditions are decided by the store: of several callers at once, one wins.
 * Costs     one request to the store a call; `list` one for every thousand objects.
 *
 * `S3Store` and `FolderStore` pass the same conformance suite (`test/objects/conformance.ts`).
 */
import { DrumlinError, EXIT } from '../base/errors.ts';
import type { Bytes } from '../base/units.ts';

/** Changes with the content of an object; other stores compute it in other ways. */
export type Tag = string;

/** `ifAbsent`: no object has this name. `ifMatch`: the object has this tag. */
export type PutCondition = { readonly ifAbsent: true } | { readonly ifMatch: Tag };

export interface ListedObject {
  readonly key: string;
  readonly bytes: Bytes;
}

export interface StoredObject extends ListedObject {
  readonly tag: Tag;
}

/** A piece of an object, from the byte `from`. */
export interface ByteRange {
  readonly from: number;
  readonly length: Bytes;
}

/** A part of a multipart upload. */
export interface UploadedPart {
  /** From 1 to 10,000; parts are joined in this order. */
  readonly number: number;
  readonly tag: Tag;
  readonly bytes: Bytes;
}

export interface ObjectStore {
  /** Where it is, for messages; holds no secret. */
  readonly place: string;
  /** Every part of a multipart upload but the last has at least this many bytes. */
  readonly leastPart: Bytes;
  /** Stores an object; throws `OBJECT_CONFLICT` if the condition does not hold. */
  put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<Tag>;
  /** The object, or a piece of it that lies within it; undefined if there is no such object. */
  get(key: string, range?: ByteRange): Promise<Buffer | undefined>;
  /** The object without its content; undefined if there is no such object. */
  look(key: string): Promise<StoredObject | undefined>;
  /** All objects whose names begin with `prefix`, in the order of the bytes of their names. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Deletes an object; a missing one is no failure. */
  delete(key: string): Promise<void>;
  /** Begins an upload in parts; returns its id. Nothing is visible before `complete`. */
  begin(key: string): Promise<string>;
  /** Stores a part; a part of the same number is replaced. */
  putPart(key: string, upload: string, number: number, bytes: Uint8Array): Promise<UploadedPart>;
  /**
   * Joins the parts to the object and ends the upload. Parts that are not named are dropped. A
   * second call with the same parts succeeds as long as the object is there. Stores differ in
   * whether they notice that a part was replaced since: never write a number twice.
   */
  complete(key: string, upload: string, parts: readonly UploadedPart[]): Promise<void>;
  /** Ends an upload and drops its parts; an upload that has ended is no failure. */
  abort(key: string, upload: string): Promise<void>;
}

/** Names are relative paths: no empty, `.` or `..` step, no control characters. */
export function checkKey(key: string): void {
  const isPath = key.split('/').every((step) => !['', '.', '..'].includes(step));
  if (isPath && key.length <= 1000 && !/[\x00-\x1f\x7f\\]/.test(key)) return;
  throw new DrumlinError(
    'OBJECT_NAME',
    `${JSON.stringify(key)} is not the name of an object.`,
    'Use a relative path of at most 1,000 characters, without empty steps.',
  );
}

export function conflict(place: string, key: string): DrumlinError {
  return new DrumlinError(
    'OBJECT_CONFLICT',
    `${place}/${key} was written by another process.`,
    'Read it again before you write it.',
    { exitCode: EXIT.folder },
  );
}

/** Whether an error of `put` says that its condition does not hold. */
export const isConflict = (error: unknown): boolean =>
  error instanceof DrumlinError && error.code === 'OBJECT_CONFLICT';

export function uploadGone(place: string, key: string): DrumlinError {
  return new DrumlinError(
    'OBJECT_UPLOAD',
    `The upload of ${place}/${key} has ended, or its parts are not those that were named.`,
    'Upload the file again under another name.',
    { exitCode: EXIT.folder },
  );
}

/**
 * The upload is not there any more: it was completed, aborted, or dropped by a rule of the store.
 */
export const isUploadGone = (error: unknown): boolean =>
  error instanceof DrumlinError && error.code === 'OBJECT_UPLOAD';
