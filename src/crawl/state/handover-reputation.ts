/**
 * Hands an agent's records of domains over to the new owners: part of `repartition`.
 *
 * Idea      Records and edges go to the owner of the domain, the sample to all agents. Rounds
 *           belong to one agent and cannot be continued by another: all URLs in a round are
 *           postponed, and the first rescan of the new owner gives them places again.
 * Ensures   Every URL queued for budget stays queued; the counts in the records stay the same.
 */

import type { Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import type { KeyedBatch } from '../../drum/keyed-batch.ts';
import { BatchBuilder } from '../../drum/keyed-batch.ts';
import { decodeDiscovery } from '../../frontier/queue/discovered-url.ts';
import type { Entries } from '../../frontier/queue/path-queue.ts';
import { UNUSED } from '../../reputation/budget/place.ts';
import { eachEntry } from '../../reputation/budgeted-supply.ts';
import type { EdgeLists } from '../../reputation/edges/edge-lists.ts';
import { unpackEdges } from '../../reputation/edges/edge-parcel.ts';
import type { ReputationFolder } from '../../reputation/reputation-folder.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { hostOf } from '../../url/parts.ts';

export type OwnerOf = (key: bigint) => ReputationFolder;

/** Records moved in one batch. */
const RECORDS = 4096;
/** No round accepts URLs. */
const NO_ROUNDS = { round: 0, last: 0 };

/** Moves everything; returns the number of URLs of blocked domains. */
export async function handOverReputation(
  from: ReputationFolder,
  heirs: readonly ReputationFolder[],
  ownerOf: OwnerOf,
): Promise<number> {
  await handOverRecords(from, heirs, ownerOf);
  const blocked = await handOverPlaced(from, ownerOf);
  await handOverRounds(from, heirs, ownerOf);
  await handOverEdges(from, heirs, ownerOf);
  for (const { bytes, age } of from.sample.parcels())
    for (const { sample } of heirs) sample.receive(bytes, age);
  return blocked;
}

async function handOverRecords(
  { book }: ReputationFolder,
  heirs: readonly ReputationFolder[],
  ownerOf: OwnerOf,
): Promise<void> {
  let moved = 0;
  for await (const { key, record } of book.records()) {
    ownerOf(key).book.put(key, { ...record, ...UNUSED });
    if (++moved % RECORDS === 0) await writeAll(heirs);
  }
  await writeAll(heirs);
}

/** Moves the URLs whose places were decided and that were not put there yet. */
async function handOverPlaced({ book }: ReputationFolder, ownerOf: OwnerOf): Promise<number> {
  let blocked = 0;
  for (let placed = await book.take(); placed; placed = await book.take()) {
    for (const { place, domain, entry } of placed) {
      if (place === 'blocked') blocked++;
      else putOff(ownerOf(domain), domain, entry, place !== 'later');
    }
  }
  return blocked;
}

async function handOverRounds(
  { rounds }: ReputationFolder,
  heirs: readonly ReputationFolder[],
  ownerOf: OwnerOf,
): Promise<void> {
  const move = async (entries: Entries, hadRound: boolean) => {
    for (const entry of eachEntry(entries)) {
      const domain = domainOf(entry);
      putOff(ownerOf(domain), domain, entry, hadRound);
    }
    await writeAll(heirs);
  };
  for (let next = 'round'; next !== 'empty'; next = await rounds.advance()) {
    const take = () => (next === 'rescan' ? rounds.takeLater() : rounds.take());
    for (let entries = await take(); entries; entries = await take())
      await move(entries, next === 'round');
  }
}

async function handOverEdges(
  { edges }: ReputationFolder,
  heirs: readonly ReputationFolder[],
  ownerOf: OwnerOf,
): Promise<void> {
  // New edges are not counted yet.
  await edges.flush();
  for (let novel = await edges.take(); novel; novel = await edges.take()) {
    // Where edges age, the first ranking counts them.
    for (let i = 0; i < novel.length && !edges.isAged; i++)
      ownerOf(novel.targets[i]).book.countEdges(novel.targets[i], '', 1, 0, 0);
  }
  for (const age of edges.ages) {
    for (const heir of heirs)
      await heir.edges.adopt(
        age,
        ownLists(edges.listsAt(age), (key) => ownerOf(key) === heir),
      );
  }
  for await (const { length, targets, ends, sources } of edges.listsAt(0)) {
    for (let i = 0, at = 0; i < length; i++) {
      const heir = ownerOf(targets[i]).edges;
      for (; at < ends[i]; at++) heir.add(targets[i], sources[at]);
    }
    await takeKnown(heirs);
  }
  for (const heir of heirs) await heir.edges.flush();
  await takeKnown(heirs);
}

/** The lists of the targets that `isOwn` accepts. */
async function* ownLists(
  lists: AsyncIterable<EdgeLists>,
  isOwn: (target: bigint) => boolean,
): AsyncGenerator<EdgeLists> {
  for await (const { length, targets, degrees, ends, sources, before } of lists) {
    const own = Array.from({ length }, (_, i) => i).filter((i) => isOwn(targets[i]));
    if (own.length === 0) continue;
    const some = own.map((i) => sources.subarray(i === 0 ? 0 : ends[i - 1], ends[i]));
    const ownEnds = new Uint32Array(own.length);
    let end = 0;
    for (const [i, { length: more }] of some.entries()) ownEnds[i] = end += more;
    const ownSources = new BigUint64Array(end);
    for (const [i, list] of some.entries()) ownSources.set(list, ownEnds[i] - list.length);
    yield {
      length: own.length,
      targets: BigUint64Array.from(own, (i) => targets[i]),
      degrees: Uint32Array.from(own, (i) => degrees[i]),
      ends: ownEnds,
      sources: ownSources,
      before: own[0] === 0 ? before : 0,
    };
  }
}

/** Discards new edges: the old owner has counted them. */
async function takeKnown(heirs: readonly ReputationFolder[]): Promise<void> {
  for (const { edges } of heirs) {
    await edges.write();
    while (await edges.take());
  }
}

/** Postpones URLs that never had a place: they get one with the others. */
export async function putOffNew(
  batch: KeyedBatch,
  heirs: readonly ReputationFolder[],
  ownerOf: OwnerOf,
  now: Millis,
): Promise<void> {
  const parts = new Map<ReputationFolder, BatchBuilder>(
    heirs.map((heir) => [heir, new BatchBuilder()]),
  );
  for (let i = 0; i < batch.length; i++) {
    const entry = batch.bytes.subarray(i === 0 ? 0 : batch.ends[i - 1], batch.ends[i]);
    parts.get(ownerOf(domainOf(entry)))?.add(batch.keys[i], entry);
  }
  for (const [{ book, rounds }, part] of parts) {
    await book.offerUrls(part, NO_ROUNDS, now);
    await book.flush();
    for (let placed = await book.take(); placed; placed = await book.take()) {
      for (const { entry } of placed) rounds.put('later', entry);
    }
    await rounds.makeRoom();
  }
}

/** Hands over links between domains that were on the way to their owner. */
export async function handOverParcel(
  bytes: Uint8Array,
  heirs: readonly ReputationFolder[],
  ownerOf: OwnerOf,
  now: Millis,
): Promise<void> {
  const { length, targets, ends, sources, cash, nameOf } = unpackEdges(bytes);
  for (let i = 0, at = 0; i < length; i++) {
    const heir = ownerOf(targets[i]);
    heir.book.countEdges(targets[i], nameOf(i), 0, cash?.[i] ?? 0, now);
    for (; at < ends[i]; at++) heir.edges.add(targets[i], sources[at]);
  }
  await writeAll(heirs);
  for (const { edges } of heirs) await edges.write();
}

function putOff(
  { book, rounds }: ReputationFolder,
  domain: bigint,
  entry: Uint8Array,
  hadRound: boolean,
): void {
  if (hadRound) book.postpone(domain);
  rounds.put('later', entry);
}

async function writeAll(heirs: readonly ReputationFolder[]): Promise<void> {
  for (const { book, rounds } of heirs) {
    await book.write();
    await rounds.makeRoom();
  }
}

const domainOf = (entry: Uint8Array): bigint =>
  xxh64(payLevelDomain(hostOf(decodeDiscovery(entry).url)));
