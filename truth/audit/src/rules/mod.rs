//! The rules: those with a check have a file each, those that are found while the measurement goes on are rows in `made/`.
//!
//! Numbers: PL01x to PL02x content, addresses and targets; PL03x to PL04x load and time; PL05x what Vdbench files leave to
//! defaults; PL10x to PL11x what a run's own numbers say; PL12x to PL15x what
//! everyone else saw of it; PL2xx what arrays told; PL3xx the host and the stack below the targets; PL4xx
//! what the judge and the methods find as they measure; PL5xx what results of other tools say of themselves; PL6xx how a host is set up (the doctor). A number that was given once is never given again.

use crate::Rule;
use std::sync::LazyLock;

/// A rule: number, name, who checks it, severity (one for all claims, or a list of five), pitfalls, and the texts of its page.
/// In a file of its own its two cases follow: what changes a sound plan, run or host so that it fires, and so that it does not
/// (where that is left out, the sound one is the case).
macro_rules! rule {
    ($number:literal $name:literal $kind:ident($check:expr) $severity:tt pitfalls $pitfalls:tt {
        summary: $summary:literal,
        $($text:tt)*
    }) => {
        $crate::Rule {
            number: $number,
            name: $name,
            summary: $summary,
            severity: severities!($severity),
            pitfalls: &$pitfalls,
            page: $crate::Page { $($text)* },
            check: $crate::Check::$kind($check),
        }
    };
    ($number:literal $name:literal $kind:ident($check:expr) $severity:tt pitfalls $pitfalls:tt $page:tt
        fires: $fires:expr,
    ) => {
        rule! { $number $name $kind($check) $severity pitfalls $pitfalls $page fires: $fires, clean: |_| {}, }
    };
    ($number:literal $name:literal $kind:ident($check:expr) $severity:tt pitfalls $pitfalls:tt $page:tt
        fires: $fires:expr,
        clean: $clean:expr,
    ) => {
        pub const RULE: $crate::Rule = rule! { $number $name $kind($check) $severity pitfalls $pitfalls $page };

        #[cfg(test)]
        pub const KNOWN: $crate::known::Known = $crate::known::Known::$kind {
            fires: $fires,
            clean: $clean,
        };
    };
}

macro_rules! severities {
    ([$($each:ident),*]) => { $crate::Severities::of([$($crate::$each),*]) };
    ($all:ident) => { $crate::Severities::all($crate::$all) };
}

mod made;

/// All rules, by their numbers.
pub static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let made = made::RULES.into_iter().flatten();
    let mut all: Vec<_> = CHECKED.iter().copied().chain(made).collect();
    all.sort_by_key(|rule| rule.number);
    all
});

macro_rules! rules {
    ($($file:ident),* $(,)?) => {
        $(mod $file;)*

        /// The rules that have a check.
        static CHECKED: &[&Rule] = &[$(&$file::RULE),*];

        /// Cases of each rule that has a check: one in which it fires and one in which it does not.
        #[cfg(test)]
        pub(crate) static KNOWN: &[(&Rule, &crate::known::Known)] =
            &[$((&$file::RULE, &$file::KNOWN)),*];
    };
}

rules! {
    pl011_never_filled,
    pl012_zero_content,
    pl013_repeating_content,
    pl014_reducible_content,
    pl015_small_working_set,
    pl016_hot_slice,
    pl017_addresses_in_step,
    pl018_hit_share,
    pl019_buffered_io,
    pl020_not_durable,
    pl021_odd_block,
    pl022_misaligned,
    pl023_streams_start_together,
    pl024_tiny_hot_set,
    pl025_just_written,
    pl026_trimmed_before,
    pl027_one_file_lock,
    pl030_too_short,
    pl031_no_warm_up,
    pl032_few_intervals,
    pl033_few_outstanding,
    pl034_many_outstanding,
    pl035_fixed_curve_depth,
    pl036_capped_closed_loop,
    pl037_too_few_slots,
    pl038_percentile_beyond_data,
    pl039_single_repeat,
    pl040_no_preconditioning,
    pl041_even_arrivals,
    pl042_one_pass,
    pl043_workloads_at_once,
    pl050_vdbench_default_threads,
    pl051_vdbench_default_hitarea,
    pl052_vdbench_dedup_sets,
    pl053_vdbench_part_random,
    pl054_vdbench_low_curve_points,
    pl100_nothing_measured,
    pl101_wide_confidence,
    pl102_saturated_latency,
    pl103_rate_missed,
    pl104_slots_were_the_limit,
    pl105_littles_law,
    pl106_faster_than_storage,
    pl108_collapse,
    pl109_first_interval,
    pl110_stolen_cpu,
    pl111_lopsided_targets,
    pl112_hot_region,
    pl114_depth_not_reached,
    pl115_at_the_ceiling,
    pl116_flat_rate,
    pl118_best_of_several,
    pl120_page_cache_answered,
    pl121_reads_never_stored,
    pl122_still_dirty,
    pl123_same_pages,
    pl124_layers_answered,
    pl125_foreign_io,
    pl126_requests_split,
    pl127_requests_merged,
    pl128_record_on_the_disk,
    pl129_writes_multiplied,
    pl130_cpu_starved,
    pl131_cpu_limit,
    pl132_io_limit,
    pl133_one_cpu_stolen,
    pl134_interrupts_on_one_cpu,
    pl135_frequency_moved,
    pl136_cpu_hot,
    pl137_drive_hot,
    pl138_drive_worn,
    pl139_clock_stepped,
    pl140_suspended,
    pl141_memory_pressure,
    pl142_path_changed,
    pl143_path_idle,
    pl144_link_full,
    pl145_link_unused,
    pl146_sent_again,
    pl147_packets_lost,
    pl148_waited_above_the_device,
    pl149_far_target,
    pl150_trims_of_nothing,
    pl151_host_was_the_limit,
    pl152_fell_in_warm_up,
    pl153_few_read_back,
    pl154_reads_of_holes,
    pl155_clock_at_another_speed,
    pl156_deeper_than_needed,
    pl200_zeros_served,
    pl201_duplicates_kept_once,
    pl202_cache_answered,
    pl203_still_warming,
    pl204_hot_core,
    pl205_journal_full,
    pl206_amplification_rising,
    pl207_path_imbalance,
    pl209_port_full,
    pl210_others_on_the_array,
    pl211_attributes_cached,
    pl300_memory_target,
    pl301_loop_target,
    pl302_slow_clock,
    pl303_frequency_governor,
    pl304_virtual_host,
    pl305_rotational_flag,
    pl306_io_scheduler,
    pl307_read_ahead,
    pl308_split_requests,
    pl309_few_tags,
    pl310_file_system_in_between,
    pl311_volatile_write_cache,
    pl312_layers_below,
    pl313_file_journal,
    pl314_several_numa_nodes,
    pl315_waiting_backend,
    pl316_aged_file,
    pl317_little_room,
    pl600_io_scheduler,
    pl601_read_ahead,
    pl602_rotational_flag,
    pl603_few_requests,
    pl604_request_size,
    pl605_completion_cpu,
    pl606_merges,
    pl607_write_cache,
    pl608_iostats,
    pl609_writeback_throttle,
    pl610_io_poll,
    pl611_alignment,
    pl612_entropy,
    pl613_io_timeout,
    pl614_encrypted,
    pl615_hardware_queues,
    pl620_governor,
    pl621_clocksource,
    pl622_huge_pages,
    pl623_irqbalance,
    pl624_numa_balancing,
    pl625_swap,
    pl626_virtual,
    pl627_steal,
    pl628_mount_options,
    pl629_idle_states,
    pl630_pressure,
    pl631_storage_interrupts,
    pl632_control_group,
    pl633_dom0_vcpus,
    pl640_multipath_shared_braces,
    pl641_multipath_odd_quotes,
    pl642_multipath_conf_broken,
    pl643_multipath_fast_fail,
    pl644_multipath_queues_forever,
    pl645_multipath_old_batch,
    pl646_multipath_path_down,
    pl647_multipath_single_path,
    pl648_multipath_round_robin,
    pl649_multipath_failback_at_once,
    pl650_kernel_log_io_errors,
    pl651_kernel_log_remote_port,
    pl652_kernel_log_bfa,
    pl653_kernel_log_error_22,
    pl660_hba_queue_depth,
    pl661_device_queue_depth,
    pl662_iscsi_timeout,
    pl663_iscsi_queue_depth,
    pl664_nvme_paths_apart,
    pl665_fc_link_errors,
    pl666_drive_ill,
    pl667_fc_without_switch,
    pl668_infiniband_not_ready,
    pl669_vxvm_request_queue,
    pl670_service_not_at_boot,
    pl671_dmp_settings,
}

/// The rule of a number (`PL012`, `pl12`, `12`) or a name.
pub fn find(text: &str) -> Option<&'static Rule> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.strip_prefix("pl").unwrap_or(&text);
    let number: Option<u16> = digits.parse().ok();
    let is = |rule: &&&'static Rule| Some(rule.number) == number || rule.name == text;
    RULES.iter().find(is).copied()
}

/// What is found where there is nothing to judge.
pub(crate) const NOTHING_MEASURED: &Rule = &pl100_nothing_measured::RULE;
