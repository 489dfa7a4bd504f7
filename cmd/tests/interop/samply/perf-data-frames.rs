// SPDX-License-Identifier: GPL-2.0-or-later
// perf-data-frames PROFILE: its samples as samply's parser reads them, a line for each: tid, time in
// ns, then each user frame, innermost first, as OFFSET@FILE, the place in the file that was mapped
// there; tabs between all. As in samply, the newest mapping wins, and what is looked up of a caller
// is the byte before the address that is returned to.
use linux_perf_data::linux_perf_event_reader::{CpuMode, EventRecord};
use linux_perf_data::{PerfFileReader, PerfFileRecord};
use std::collections::{BTreeMap, HashMap};

#[derive(Clone)]
struct Mapping {
	end: u64,
	offset: u64,
	path: String,
}

type Mappings = BTreeMap<u64, Mapping>;

fn map(mappings: &mut Mappings, start: u64, new: Mapping) {
	let overlaps = mappings.range(..new.end).filter(|(_, old)| old.end > start);
	let starts: Vec<u64> = overlaps.map(|(start, _)| *start).collect();

	for old_start in starts {
		let old = mappings.remove(&old_start).unwrap();
		if old.end > new.end {
			let offset = old.offset + (new.end - old_start);
			mappings.insert(new.end, Mapping { offset, ..old.clone() });
		}
		if old_start < start {
			mappings.insert(old_start, Mapping { end: start, ..old });
		}
	}
	mappings.insert(start, new);
}

fn frame(mappings: Option<&Mappings>, address: u64) -> String {
	match mappings.and_then(|all| all.range(..=address).next_back()) {
		Some((start, file)) if address < file.end => {
			format!("{:x}@{}", address - start + file.offset, file.path)
		}
		_ => format!("{:x}@", address),
	}
}

fn user_frames(chain: Vec<u64>) -> Vec<u64> {
	const MAX_CONTEXT: u64 = -4095i64 as u64;
	const USER: u64 = -512i64 as u64;
	let mut user = false;
	let mut frames = Vec::new();

	for address in chain {
		if address >= MAX_CONTEXT {
			user = address == USER;
		} else if user {
			frames.push(if frames.is_empty() { address } else { address - 1 });
		}
	}
	frames
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
	let path = std::env::args().nth(1).ok_or("usage: perf-data-frames PROFILE")?;
	let file = std::io::BufReader::new(std::fs::File::open(path)?);
	let PerfFileReader { mut perf_file, mut record_iter } = PerfFileReader::parse_file(file)?;
	let mut processes: HashMap<i32, Mappings> = HashMap::new();

	perf_file.build_ids()?;
	perf_file.sample_time_range()?;
	while let Some(record) = record_iter.next_record(&mut perf_file)? {
		let record = match record {
			PerfFileRecord::EventRecord { record, .. } => record,
			PerfFileRecord::UserRecord(_) => continue,
		};
		match record.parse()? {
			EventRecord::Mmap2(m) if m.cpu_mode == CpuMode::User => {
				let path = String::from_utf8_lossy(&m.path.as_slice()).into_owned();
				let new = Mapping { end: m.address + m.length, offset: m.page_offset, path };
				map(processes.entry(m.pid).or_default(), m.address, new);
			}
			EventRecord::Fork(f) if f.pid != f.ppid => {
				if let Some(parent) = processes.get(&f.ppid).cloned() {
					processes.insert(f.pid, parent);
				}
			}
			EventRecord::Sample(s) => {
				let chain = s.callchain.map(|c| (0..c.len()).filter_map(|i| c.get(i)).collect());
				let mappings = processes.get(&s.pid.unwrap_or(-1));
				print!("{}\t{}", s.tid.unwrap_or(-1), s.timestamp.unwrap_or(0));
				for address in user_frames(chain.unwrap_or_default()) {
					print!("\t{}", frame(mappings, address));
				}
				println!();
			}
			_ => {}
		}
	}
	Ok(())
}
