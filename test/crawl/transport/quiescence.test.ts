import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ActivityReport, Quiescence } from '../../../src/crawl/transport/quiescence.ts';

/**
 * A crawl of a few agents. The scheduler delays every message (parcels, reports, questions,
 * answers) by any time; only messages of one agent to the coordinator keep their order.
 */
class ModelCrawl {
  readonly #agents: { work: number; sent: number; received: number; told: boolean }[];
  /** The receivers of the parcels on the way. */
  readonly #parcels: number[] = [];
  /** For each agent: its reports that have not arrived at the coordinator; answers are marked. */
  readonly #toCoordinator: { report: ActivityReport; answer: boolean }[][];
  readonly #questions: number[] = [];
  readonly #quiescence: Quiescence;
  #answers: ActivityReport[] = [];
  declaredOver = false;

  constructor(work: readonly number[]) {
    this.#agents = work.map((units) => ({ work: units, sent: 0, received: 0, told: false }));
    this.#toCoordinator = work.map(() => []);
    this.#quiescence = new Quiescence(work.length);
  }

  get over(): boolean {
    return this.#parcels.length === 0 && this.#agents.every(({ work }) => work === 0);
  }

  /** Everything that may happen next. */
  events(): ((choice: number) => void)[] {
    const events: ((choice: number) => void)[] = [];
    for (const [i, agent] of this.#agents.entries()) {
      if (agent.work > 0) events.push((choice) => this.#work(i, choice));
      else if (!agent.told) events.push(() => this.#tell(i, false));
      if (this.#toCoordinator[i].length > 0) events.push(() => this.#arrive(i));
    }
    for (const i of this.#parcels.keys()) events.push((choice) => this.#deliver(i, choice));
    for (const i of this.#questions.keys())
      events.push(() => this.#tell(this.#questions.splice(i, 1)[0], true));
    return events;
  }

  #work(i: number, choice: number): void {
    const agent = this.#agents[i];
    agent.work--;
    if (choice % 3 === 0) {
      agent.sent++;
      this.#parcels.push(choice % this.#agents.length);
    }
  }

  #deliver(i: number, choice: number): void {
    const agent = this.#agents[this.#parcels.splice(i, 1)[0]];
    agent.received++;
    // A parcel may hold nothing new; an agent that it woke reports when it is idle again.
    agent.work += choice % 4 === 0 ? 1 : 0;
    agent.told = false;
  }

  #tell(i: number, answer: boolean): void {
    const { work, sent, received } = this.#agents[i];
    if (!answer) this.#agents[i].told = true;
    this.#toCoordinator[i].push({ report: { agent: i, idle: work === 0, sent, received }, answer });
  }

  #arrive(i: number): void {
    const { report, answer } = this.#toCoordinator[i].shift()!;
    this.#quiescence.report(report);
    if (answer && this.#answers.push(report) === this.#agents.length) {
      this.declaredOver ||= this.#quiescence.endWave(this.#answers);
      this.#answers = [];
    }
    if (this.declaredOver || !this.#quiescence.needsConfirmation) return;
    this.#quiescence.beginWave();
    this.#questions.push(...this.#agents.keys());
  }
}

describe('termination', () => {
  test('is never declared while work or a parcel is left, and always in the end, for any order of events', () => {
    const work = fc.array(fc.nat(4), { minLength: 1, maxLength: 4 });
    const choices = fc.array(fc.nat(60), { minLength: 60, maxLength: 200 });
    fc.assert(
      fc.property(work, choices, (work, choices) => {
        const crawl = new ModelCrawl(work);
        // After the choices of the property, events happen in turn, and parcels cause no more work.
        for (let step = 0; !crawl.declaredOver; step++) {
          const events = crawl.events();
          expect(events.length).toBeGreaterThan(0);
          expect(step).toBeLessThan(5000);
          const choice = step < choices.length ? choices[step] : 60 * step + 1;
          events[choice % events.length](
            step < choices.length ? choices[(step * 7) % choices.length] : 1,
          );
        }
        expect(crawl.over).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  const idle = (agent: number, sent: number, received: number): ActivityReport => ({
    agent,
    idle: true,
    sent,
    received,
  });

  /** All answers arrive at once, and no agent reports anything else meanwhile. */
  const answered = (quiescence: Quiescence, ...answers: ActivityReport[]): boolean => {
    for (const answer of answers) quiescence.report(answer);
    return quiescence.endWave(answers);
  };

  test('a single agent ends after two idle reports', () => {
    const quiescence = new Quiescence(1);
    quiescence.report({ agent: 0, idle: false, sent: 0, received: 0 });
    expect(quiescence.needsConfirmation).toBe(false);
    quiescence.report(idle(0, 0, 0));
    quiescence.beginWave();
    expect(quiescence.needsConfirmation).toBe(false);
    expect(answered(quiescence, idle(0, 0, 0))).toBe(true);
  });

  test('an answer does not replace a newer report of its agent', () => {
    const quiescence = new Quiescence(2);
    for (const agent of [0, 1]) quiescence.report(idle(agent, 0, 0));
    quiescence.beginWave();
    const answers = [idle(0, 0, 0), idle(1, 1, 0)];
    quiescence.report(answers[0]);
    // Agent 1 is asked later and has sent a parcel; agent 0 has it before the answer arrives.
    quiescence.report(idle(0, 0, 1));
    quiescence.report(answers[1]);
    expect(quiescence.endWave(answers)).toBe(false);
    expect(quiescence.needsConfirmation).toBe(true);
    quiescence.beginWave();
    expect(answered(quiescence, idle(0, 0, 1), idle(1, 1, 0))).toBe(true);
  });

  test('equal sums are not enough: a parcel received before its sender reported hides one on the way', () => {
    // After its report agent 0 processed a parcel of agent 2 and sent two: agent 1 has processed
    // one, the other is on its way.
    const quiescence = new Quiescence(3);
    for (const report of [idle(0, 0, 0), idle(1, 0, 1), idle(2, 1, 0)]) quiescence.report(report);
    expect(quiescence.needsConfirmation).toBe(true);
    quiescence.beginWave();
    expect(answered(quiescence, idle(0, 2, 1), idle(1, 0, 1), idle(2, 1, 0))).toBe(false);
    expect(quiescence.needsConfirmation).toBe(false);
  });

  test('answers that agree with each other are not enough: they must agree with the sums before the question', () => {
    const quiescence = new Quiescence(2);
    quiescence.report(idle(0, 1, 0));
    quiescence.report(idle(1, 0, 1));
    quiescence.beginWave();
    expect(answered(quiescence, idle(0, 1, 1), idle(1, 1, 1))).toBe(false);
    expect(quiescence.needsConfirmation).toBe(true);
    quiescence.beginWave();
    expect(answered(quiescence, idle(0, 1, 1), idle(1, 1, 1))).toBe(true);
  });

  test('an agent that became busy by itself is respected, although the proof excludes it', () => {
    const quiescence = new Quiescence(1);
    quiescence.report(idle(0, 0, 0));
    quiescence.beginWave();
    expect(answered(quiescence, { agent: 0, idle: false, sent: 0, received: 0 })).toBe(false);
  });

  test('rejects a wave out of turn, and one without all answers', () => {
    const quiescence = new Quiescence(2);
    expect(() => quiescence.beginWave()).toThrow('A wave begins only if');
    expect(() => quiescence.endWave([])).toThrow('No wave is under way');
    quiescence.report(idle(0, 0, 0));
    quiescence.report(idle(1, 0, 0));
    quiescence.beginWave();
    expect(() => quiescence.endWave([idle(0, 0, 0), idle(0, 0, 0)])).toThrow(
      'Not every agent answered',
    );
  });
});
