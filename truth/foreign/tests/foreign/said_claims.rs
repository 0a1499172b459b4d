//! Claims in sentences: those that can be true, with what each says, and those with a slip, with the rule that it breaks.

/// Sentences that can be true: each is slots over time, with the time rounded to the digits that are printed. Before each stands what it
/// says of its first claim: rate, mean in us, bytes of a transfer, I/Os that can be out, MB/s of its first ports; 0 for what it does not say.
pub const SOUND: &str = "\
# A model's number is no rate.
2100000 1200 4096 0 0 Array 9080: 2.1M IOPS at 1.2 ms, 4K
# The published ones: reads with 640 slots, writes without a depth.
455000 1400 4096 640 6800 455 000 IOPS at 1.4 ms, 4K, jobs=10 qd=16, 4 servers, 8 x 8Gb FC
160000 1200 4096 0 0 Max write: 160 000 IOPS at 1.2 ms, 4K
# 32 / 105,000 = 0.305 ms.
104968 305 4096 32 0 104,968 IOPS at 0.305 ms with 32 threads, 4KB random reads
59189.5 233 4096 14 0 59189.5 io/s, 0.233 ms, threads=14, xfersize=4k
64172 245 4096 16 0 64,172/s @ 0.245ms, 16 workers, 4 KiB
# 512 / 130,848 = 3.913 ms.
130848 3913 8192 512 0 130848 IOPS at 3.913 ms, 8k, 70% reads, threads=512
1200000 213 4096 256 0 1.2M IOPS at 213 us, 4k random read, 8 jobs, depth 32
1500000 171 4096 256 0 1.5 MIOPS @ 171us bs=4k numjobs=16 iodepth=16
500000 512 4096 256 0 500k IOPS, 512 µs average latency, 4k, QD16, 16 threads
10000 100 4096 1 0 We got 10,000 IOPS at 100 usec with a queue depth of 1 (4 KB reads)
12500 80 4096 1 0 QD1: 12.5k IOPS at 80 us, 4k
260000 1230 4096 320 0 260k at 1.23ms, 4k, jobs=8 depth=10, 4 hosts
260000 1230 4096 320 0 260.000 IOPS at 1,23 ms, 4k, jobs=8 depth=10, 4 hosts
260000 1230 0 320 0 260'000 io/s at 1.23 ms; 8 jobs with depth 10 on each of 4 hosts
260000 1230 0 320 0 4 hosts, 8 jobs, iodepth 10: 260000 IOPS at 1230 us
80000 800 8192 64 0 64 outstanding I/Os, 80k IOPS at 0.8 ms, 8KB
80000 800 8192 64 0 80 thousand IOPS at 0.8 ms, 64 in flight, 8 KiB
# 700 MB/s of 1 MiB are 668/s; 16 out take 24 ms.
667.6 24000 1048576 16 0 700 MB/s with 1M blocks at 24 ms, 16 threads
17203.2 930 131072 16 0 2.1 GiB/s sequential reads of 128k at 0.93 ms, depth 16
100000 640 8192 64 0 100,000 IOPS of 8 KiB, 819 MB/s, at 0.64 ms, depth=64
100000 640 8192 64 0 100,000 IOPS of 8 KiB, 781 MB/s, at 0.64 ms, depth=64
100000 640 8192 64 0 100,000 IOPS of 8 KiB, 781 MiB/s, at 0.64 ms, depth=64
100000 640 8192 64 0 100,000 IOPS of 8 KiB, 819 MB/s (781 MiB/s) at 0.64 ms, depth=64
# 1.6 GB/s of 1.7.
390000 660 4096 256 1700 390k IOPS 4k reads over 2 x 8Gb Fibre Channel at 0.66 ms, 256 threads
24000 2670 131072 64 3400 24,000 IOPS at 2.67 ms, 128k, 64 threads, two 16Gb FC ports
36621 0 65536 0 2500 2.4 GB/s of 64 KiB reads via dual-port 10GbE, 36,621 IOPS
11444 0 1048576 0 12500 12 GB/s, 1 MiB reads, 1 x 100GbE
3719.3 0 1048576 0 4000 3.9 GB/s, 1 MiB reads, QDR InfiniBand
850000 301 4096 256 3938 850k IOPS 4k reads, PCIe 3.0 x4, depth 256 at 301 us
17166 0 262144 0 4800 4.5 GB/s of 256k reads, 4 x 12Gb SAS
# Both directions together have 3.4 GB/s.
400000 640 8192 256 3400 400,000 IOPS, 8k, 50/50, 2 x 16Gb FC, 256 threads, 0.64 ms
1600000 640 4096 1024 13600 4 hosts with 2 x 16Gb FC per host, 1.6M IOPS of 4k reads at 0.64 ms, jobs=8 depth=32
50000 640 0 32 0 50,000 IOPS at 0.64 ms, p99 2.1 ms, p99.9 of 5 ms, max 12 ms, depth 32
50000 640 0 32 0 50k IOPS, mean 0.64 ms, median 0.5 ms, 99th percentile 2.1 ms, QD=32
50000 640 0 32 0 50k IOPS with p50=0.5ms p99=2.1ms avg 0.64 ms, qd 32
# A rate that is held leaves slots free.
20000 500 8192 256 0 limited to 20,000 IOPS at 0.5 ms, 256 threads, 8k
# Several in one text.
160000 1600 4096 256 0 160k writes at 1.6 ms, 455k reads at 0.563 ms, 264k IOPS 70/30 at 0.97 ms; 4k, 256 threads
200000 1280 4096 256 3400 4k: 200,000 IOPS at 1.28 ms. 8k: 150,000 IOPS at 1.71 ms. 256 threads, 4 x 8Gb FC.
90000 710 0 64 0 64 threads: 90k IOPS at 0.71 ms; 128 threads: 120k IOPS at 1.07 ms; 256 threads: 130k IOPS at 1.97 ms
30000 0 8192 0 0 30 000 IOPS, random 8K, 70/30, for 30 min on a 3 TiB working set
20000 12800 0 256 0 32 per LUN outstanding is not said, 20k IOPS at 12.8 ms, 8 LUNs, depth 32 per LUN
15000 2130 0 32 0 15k IOPS at 2.13 ms, 32 threads in all, 4 hosts
5000 6400 4096 32 0 5,000 IOPS at 6.4 ms with 32 threads on SATA disks, 100% random, 100% write, 4k, 75 % hits
# Shares behind their directions, and a percentile that is none.
100000 0 8192 0 0 read 70 % write 30 % 100k IOPS 8k
50000 640 8192 32 0 50k IOPS at 0.64 ms, 8k, depth 32, reads 99 % < 2.1 ms
# 22 GB/s of 25 through ports whose kind is not said. Those of 12 Gb/s may be of SAS, of four lanes each.
20980.8 0 1048576 0 25000 Sequential reads of 1 MiB gave us 22 GB/s through the two 100 Gb/s RDMA ports
0 0 0 0 24000 18 GB/s of reads over four 12 Gb/s ports
98000 0 65536 0 6800 98,000 IOPS of 64k reads, 16Gb FC, 4 ports
# fio's line of a group: 360 s are its duration, and its bytes no size of a target.
407296 0 4096 64 0 READ: bw=1591MiB/s (1669MB/s), io=559GiB, run=360000-360001msec, bs=4k, iodepth=64
# A script of many forums prints a thousand KiB as a MB, and its rate behind in brackets.
104100 0 4096 0 0 4k read 416.79 MB/s, 104.1k IOPS
27000 0 65536 0 0 64k read 1.73 GB/s, 27.0k IOPS
67400 0 4096 0 0 4k read 269.72 MB/s (67.4k)
# Factors in any order, and times of directions.
256000 1000 0 256 0 8 threads x 32 outstanding: 256,000 IOPS at 1 ms
500000 300 8192 160 0 500k IOPS at 0.3 ms, 8K, 20 threads, 8 outstanding I/Os per thread
500000 300 8192 160 0 500k IOPS at 0.3 ms, 8K, 8 outstanding x 20 threads
500000 300 8192 160 0 500k IOPS at 0.3 ms, 8K, 5 VMs x 4 threads x 8 OIO
1150000 890 0 1024 0 16 hosts x 64 outstanding: 1.15M IOPS at 0.89 ms
640000 1600 4096 1024 0 4 KiB randwrite, 2 nodes, 16 jobs/node, iodepth 32: 640k IOPS, mean 1.6 ms
2700000 0 0 0 0 2.7 million random read IOPS
180000 780 0 142 0 runtime 300s, 180k IOPS, 0.78 ms, QD142
30000 0 4096 0 0 60 seconds, 1,800,000 I/Os, 30k IOPS, 4k, 117 MiB/s
180000 0 8192 142 0 70% read 8k: 180000 IOPS, 0.9ms read, 0.5ms write, QD 142
1500000 100 4096 0 0 1.5 million 4K random read IOPS, 100 us
500000 300 4096 160 0 500000 io/s 0.3ms 4k 16 threads 10 qd 1953 MiB/s
180000 0 8192 142 0 read 0.9 ms / write 0.5 ms, 180k IOPS 8k 70/30, QD142
# Rates of each of several, and words of other languages.
1000000 1000 8192 1600 0 50k IOPS per VM, 20 VMs, 1 ms, 8k, QD 80 per VM, limited
264000 1200 0 320 0 66k IOPS per host at 1.2 ms, 4 hosts, 8 jobs, depth 10
264000 1200 0 320 0 264k IOPS at 1.2 ms, 32 LUNs with QD 10 each
200000 0 8192 0 0 50k IOPS per node on 4 nodes, 8k, 410 MB/s
1200000 500 4096 0 0 1,2 Mio. IOPS bei 0,5 ms, 4k
1000000 200 0 0 0 100万 IOPS 时延 0.2ms
13700000 0 0 0 0 S2D 13.7M IOPS across 12 nodes
126000 900 0 142 0 r: 126000 IOPS 0.9ms QD 142, w: 54000 IOPS 0.5ms
21000000 50 0 0 0 最高可达 2100 万 IOPS，时延低至 0.05 ms
3000000 0 0 0 0 최대 300만 IOPS
1200000 300 0 0 0 jusqu'à 1,2 million d'IOPS avec une latence de 0,3 ms
10390000 0 512 0 0 10.39 million 512B random read I/O per second
# Numbers in names, and what is no duration and no time of an I/O.
26834 448 0 0 0 26,834 SPC-1 IOPS at 0.448 ms average response time
400587.11 13920 0 0 0 SPC-1 IOPS 400,587.11 at 13.92 ms
750000 0 4096 0 0 PCIe-3 IOPS: 750k 4K random read
45000 3000 8192 0 0 RAID-10 IOPS 45,000 8k 3 ms
180000 710 4096 128 0 fio --ramp_time=30s --runtime=300s bs=4k iodepth=32 numjobs=4: 180k IOPS 0.71 ms
250000 1020 8192 256 0 diskspd -b8K -d60 -o32 -t8 -W30s: 250000 IOPS at 1.02 ms
120000 1000 8192 120 0 warm-up 60 s, measured 10 min, 120k IOPS, 8k, 1 ms, QD 120
400000 500 4096 0 6250 2 x 25 Gbps, 400k IOPS 4k at 0.5 ms
286 0 0 0 0 286 IOPS (4.5 MB/secs)
41645.3 12282.46 4096 512 0 Random 4KiB (Q= 32, T=16): 170.579 MB/s [ 41645.3 IOPS] < 12282.46 us>
# Other languages, sizes beside their rates, times of something else, pairs, samples, headings and names; none is accused.
100000 320 0 32 0 IOPS=100,000; Latency=320.0us; iodepth=32
100000 320 0 32 0 100 тыс. IOPS, 0,32 мс, QD 32
1000000 256 0 256 0 1 000 000 IOPS при задержке 0,256 мс, глубина очереди 256
1200000 250 0 300 0 die Appliance schafft 1,2 Mio. IOPS bei 0,25 ms und 300 ausstehenden I/Os
390000 164 8192 64 0 Durchsatz 3,2 GB/s bei 8-KB-Blöcken, 390.000 IOPS, 64 Threads, mittlere Latenz 164 µs
500000 500 0 0 0 500 Tsd. IOPS bei 0,5 ms
2000000000 100 0 0 0 2 billion IOPS at 0.1 ms
279572 0 0 0 0 27万9572 IOPS
300000000 0 0 0 0 3 億IOPS
16000000 50 0 0 0 OceanStor Dorado 8000: 1,600 万 IOPS, 0.05 ms
128000 250 4096 32 0 平均延迟 0.25ms，IOPS 128000，队列深度 32，4KB 随机写
512000 500 4096 256 0 QD=32, 8スレッド, 4KBランダムライト 512,000 IOPS, 平均レイテンシ 0.5ms
500000 500 0 250 0 half a million IOPS at 0.5 ms with 250 outstanding
1000000 128 4096 128 0 a million 4 KB reads per second at 128 outstanding and 128 microseconds
670000 0 4096 0 0 670K 4K IOPS
1330000 0 4096 512 0 I get 1330K 4K IOPS with iodepth=64, numjobs=8
5000000 0 4096 0 0 5M 4 KiB random read IOPS and 50 GB/s sequential read
16000 0 4096 0 0 16,000 4K random read IOPS
100000 320 0 32 0 failover in 4 s, 100k IOPS, 0.32 ms, QD 32
100000 320 0 32 0 every 5 s, 100k IOPS, 0.32 ms, QD 32
100000 320 0 32 0 after 2 ms pause: 100k IOPS, 0.32 ms, QD 32
100000 320 0 32 0 latency_target=5ms, 100k IOPS, 0.32 ms, QD 32
100000 320 0 32 0 RTT 0.1 ms, 100k IOPS, 0.32 ms, QD 32
100000 320 0 32 0 SLA 1 ms, 100k IOPS, 0.32 ms, QD 32
310000 103 0 32 0 310k IOPS, slat 2us, clat 101us, lat 103us, iodepth 32
100000 0 0 32 0 100K IOPS with latencies as low as 100 µs at queue depth 32
1500000 0 4096 512 0 Random 4K read: 1,500,000 IOPS (QD32, 16 jobs), typical latency 80 µs
100000 0 0 32 0 100k IOPS, 0.32 ms, 0.51 ms, QD 32
45200 1100 0 64 0 IOPS 45.2k/15.1k (r/w), lat 1.1/0.9 ms (r/w), iodepth 64
45200 1100 0 64 0 R/W IOPS: 45.2k / 15.1k; R/W latency 1.1 / 0.9 ms; QD 64
45200 1100 0 64 0 read/write: 45.2k/15.1k IOPS, 1.1/0.9 ms, 64 outstanding
1200000 0 4096 0 0 1.2M IOPS (4K read) / 350K IOPS (4K write) at 250 µs / 40 µs
80000 1200 0 96 0 latency improved from 1.2 ms to 0.4 ms, IOPS from 80K to 240K, QD 96
240000 0 0 96 0 latency dropped 67% from 1.2 ms to 0.4 ms at 240K IOPS, QD 96
100000 320 0 32 0 100k IOPS vs. 50k IOPS for the old array, 0.32 ms vs 0.64 ms, QD 32
100000 320 0 32 0 twice the IOPS (100k instead of 50k) at half the latency (0.32 ms instead of 0.64 ms), QD 32
125000 0 0 64 0 25% higher: 125,000 IOPS against 100,000 IOPS, both at QD 64; 0.51 ms and 0.64 ms
600000 0 0 0 0 random write IOPS dropped from 600k to 75k after 20 minutes
95000 0 0 32 0 95k-105k IOPS, 0.32 ms, 32 outstanding
100000 320 0 32 0 average 100k IOPS, min 80k, max 120k, 0.32 ms, 32 outstanding
100000 320 0 32 0 iops avg=100k, max=120k, lat avg=320us, iodepth=32
100000 320 0 32 0 100,000 IOPS avg / 120,000 IOPS max, 0.32 ms avg / 12 ms max, QD 32
100000 320 0 32 0 100k IOPS +/- 2k, 0.32 ms ±0.01 ms, QD 32
100000 320 0 32 0 100k IOPS (stdev 2k), 0.32 ms, QD 32
100000 320 0 128 0 rate_iops=100000, iodepth=128, mean 0.32 ms
100000 320 0 4096 0 open loop, 100k IOPS offered, 0.32 ms mean, up to 4096 outstanding
310000 103 4096 32 0 bs=4k qd=32 iops=310k lat=103us bw=1211MiB/s
100000 320 0 32 0 2025-06-01 12:00:05 IOPS=100000 lat=0.32ms iodepth=32
100000 320 0 32 0 run 2 IOPS: 100000, lat 0.32 ms, QD 32
100000 320 0 32 0 node 3 IOPS 100000 lat 0.32 ms iodepth 32
44.52 0 0 0 0 WTR: 178.09 KiB/s Transfer time: 00:00:05 IOPS: 44.52
102000 0 0 1 0 Jobs: 1 (f=1): [r(1)][100.0%][r=400MiB/s][r=102k IOPS][eta 00m:00s]
42145.2 0 0 0 0 ops: 262144 ops/sec: 42145.24 bytes/sec: 172626920.5
10777 1480 0 16 0 Average IOPS: 10777, Average Latency(s): 0.00148, 16 threads
875283 1168.95 0 0 0 IOPS(k)= 875.283 bw(MB/s)= 3585.159 szKiB= 4 lat_ms= 1.168950
557000 0 4096 0 0 Throughput (MB/s): 2281, IOPS 557k, 4k
1200000.12 426.5 4096 512 0 SPDK perf: 1200000.12 IO/s 4687.50 MiB/s 426.5 us average, 50.1 min, 2000.3 max, 4k, QD 512
12345 2600 0 32 0 12,345 IOPS, 2.1 ms median, 2.6 ms average, -o4 -t8
1054931 484 4096 512 0 RND4K Q32T16: 4321 MB/s, 1054931 IOPS, 484 us
4560 8000 0 0 0 24 x 10K SAS drives: 4,560 IOPS at 8 ms
180 0 0 0 0 15K RPM drives, 180 IOPS each
80 12000 0 0 0 7200 rpm disk does 80 IOPS at 12 ms
16000 0 0 0 0 3 IOPS/GB up to 16,000 IOPS
256000 0 0 0 0 500 IOPS per GiB, 256,000 IOPS
250000 1020 0 256 0 16 VMs x 8 outstanding I/Os per disk x 2 disks per VM: 250,000 IOPS @ 1.02 ms
0 0 0 0 0 up to 7 GB/s and 1M IOPS (4K)
1000000 0 4096 0 0 delivers 1M IOPS at 4K and 50 GB/s throughput
0 0 0 0 0 7.4 GB/s, 1,000K IOPS 4K
1400000 0 4096 32 0 Random Read (4KB, QD32) 1,400,000 IOPS, Random Write (4KB, QD32) 1,550,000 IOPS
1550000 0 4096 128 0 up to 1.55M IOPS (70/30 4KB mixed), QD16, 8 workers; sequential read up to 7200 MB/s; sequential write up to 6200 MB/s
2000000 0 0 1000 0 IOPS (total): 2,000,000; read 1,400,000; write 600,000; mean 0.5 ms; 1,000 outstanding
13700000 0 4096 0 0 Each server node: 2 x Mellanox ConnectX-4 25 Gbps. 13.7 million IOPS, 4 kB block-aligned random read.
2700000 0 0 0 0 CM7-R IOPS 2.7M
98000 0 4096 0 600 SATA 6Gb SSD: 98,000 IOPS 4k
160000 0 4096 0 0 18 hours at 160,000 IOPS of 4 KiB wrote 42.5 TB
256000 0 16384 0 0 io2 Block Express: 256,000 IOPS, 16 KiB
92921.3 4130 4096 0 0 4krandomread | 92921.27 iop/s @ 4.13ms
1488.17 13120 1048576 0 0 1Mseqread | 1560.46 MB/s @ 13.12ms
# A bandwidth alone has ports to be held against.
0 0 0 0 125 My NAS does 112 MB/s over 1GbE
";

/// Sentences with one slip each, behind the rule that it breaks.
pub const SLIPS: &str = "\
# The published one: 304 in flight, where 320 were out.
depth-not-reached 264000 at 1.15ms, 4k, jobs=8 depth=10, 4 hosts, 8 x 8Gb FC
# Rate, time or depth of another run.
littles-law 455 000 IOPS at 14 ms, 4K, jobs=10 qd=16, 4 servers
depth-not-reached 455 000 IOPS at 0.14 ms, 4K, jobs=10 qd=16, 4 servers
littles-law 104,968 IOPS at 0.577 ms with 32 threads
littles-law 59189.5 io/s, 0.333 ms, threads=14, xfersize=4k
depth-above-threads 130848 IOPS at 3.913 ms, 8k, 70% reads, threads=256
depth-not-reached 130848 IOPS at 3.913 ms, 8k, 70% reads, threads=1024
depth-not-reached 1.2M IOPS at 213 ns, 4k random read, 8 jobs, depth 32
littles-law 1.5 MIOPS @ 171ms bs=4k numjobs=16 iodepth=16
littles-law 500k IOPS, 612 µs average latency, 4k, QD16, 16 threads
littles-law We got 10,000 IOPS at 150 usec with a queue depth of 1
depth-above-threads QD1: 25k IOPS at 80 us, 4k
littles-law QD1: 22k IOPS at 80 us, 4k
littles-law 260k at 1.63ms, 4k, jobs=8 depth=10, 4 hosts
depth-not-reached 260.000 IOPS at 0,80 ms, jobs=8 depth=10, 4 hosts
depth-not-reached 26,000 io/s at 1.23 ms; 8 jobs with depth 10 on each of 4 hosts
depth-above-threads 260000 IOPS at 307 us, 8 jobs, depth 10, 4 hosts
littles-law 64 outstanding I/Os, 80k IOPS at 1.3 ms, 8KB
depth-not-reached 80k IOPS at 0.5 ms, 64 in flight
depth-not-reached 700 MB/s with 1M blocks at 12 ms, 16 threads
littles-law 2.1 GiB/s sequential reads of 128k at 5.5 ms, depth 16
depth-not-reached 32 threads: 105k IOPS at 0.305 ms, 4k; 64 threads: 105k IOPS at 0.305 ms, 4k
littles-law Dell R740, 455 000 IOPS at 14 ms, 4K, jobs=10 qd=16
mean-outside 50k IOPS, mean 1.28 ms, depth 64, 0.9 ms worst
littles-law 50k IOPS per VM, 20 VMs, 1 ms, 8k, QD 32 per VM
# Bytes that do not go with the rate.
bandwidth-disagrees 100,000 IOPS of 8 KiB, 410 MB/s, at 0.64 ms, depth=64
bandwidth-disagrees 100,000 IOPS of 4 KiB, 819 MB/s
bandwidth-disagrees 60k IOPS, 64k blocks, 1.2 GB/s
# More than the ports carry.
beyond-the-ports 455,000 IOPS of 16k reads at 1.4 ms, jobs=10 qd=16, 4 servers, 4 x 8Gb FC
beyond-the-ports 500k IOPS 4k reads over 2 x 8Gb Fibre Channel
beyond-the-ports 30,000 IOPS, 128k writes, two 16Gb FC ports
beyond-the-ports 3.1 GB/s of 64 KiB reads via dual-port 10GbE
beyond-the-ports 15 GB/s, 1 MiB reads, 1 x 100GbE
beyond-the-ports 4.6 GB/s, 1 MiB reads, 40Gb InfiniBand
beyond-the-ports 1.2M IOPS 4k reads, PCIe 3.0 x4
beyond-the-ports 900 MB/s of 256k reads, 6Gb SATA
beyond-the-ports 600,000 IOPS, 8k, 2 x 16Gb FC
# Percentiles, means and shares that cannot be.
percentiles-disordered 50k IOPS at 0.64 ms, p99 2.1 ms, p99.9 1.1 ms
percentile-above-max 50k IOPS at 0.64 ms, p99.9 5 ms, max 3 ms
mean-outside 50k IOPS, mean 6.4 ms, max 3 ms
# By hand: 50 % x 3 ms, 1 % x 200 ms, 10 % x 20 ms, 49 % x 3 ms + 1 % x 5 ms.
percentiles-against-mean mean 1ms, p50 3ms, 10000 IOPS, depth 10
percentiles-against-mean mean 1ms, p99 200ms, 10000 IOPS
percentiles-against-mean 10000 IOPS at 1ms mean, p90 20ms, max 30ms
percentiles-against-mean 10000 IOPS, mean 1ms, p50 3ms, p99 5ms
percentiles-against-mean 50k IOPS at 20 us, p50 240 us, p90 500 us, p99 900 us, max 3 ms
shares-of-nothing 50k IOPS, 70% reads, 40% writes
# What several claims say against each other.
more-at-larger-size 4k: 200,000 IOPS at 1.28 ms. 8k: 264,000 IOPS at 0.97 ms. 256 threads.
fewer-bytes-at-larger-size 4k: 455,000 IOPS; 1M: 700 IOPS
mix-above-both 160k writes at 1.6 ms, 455k reads at 0.563 ms, 600k IOPS 70/30 at 0.427 ms; 4k, 256 threads
less-with-more-depth 32 threads: 105k IOPS at 0.305 ms, 4k; 64 threads: 50k IOPS at 1.28 ms, 4k
# A bandwidth alone, ports that only a part of a claim had, shares behind their directions, and claims of one size that nobody says.
beyond-the-ports 31 GB/s over one 25 Gb Ethernet port
beyond-the-ports Sequential reads of 1 MiB gave us 22 GB/s through the two 100 Gb/s RDMA ports; with only one port, 20 GB/s.
shares-of-nothing read 70 % write 40 % 100k IOPS 8k
mix-above-both 100% reads 300k IOPS; 100% writes 160k; 70/30 mix 500k
# Words in any order, sizes beside their rates, and bytes in all.
beyond-the-ports SATA 6Gb SSD: 250,000 IOPS 4k
beyond-the-ports 500k 4K IOPS over a single 10GbE port
bandwidth-disagrees 18 hours at 160,000 IOPS of 4 KiB wrote 80 TB
bandwidth-disagrees 4K at 100k IOPS for 60 s wrote 100 GB
bandwidth-disagrees 1.2 TB written in 60 s at 10 GB/s of 1M
more-at-larger-size 4k: 400,000 IOPS, 8k: 600,000 IOPS
more-at-larger-size 64k reads: 20,000 IOPS; 128k reads: 30,000 IOPS
littles-law QD1 1M IOPS 100 us 4K
littles-law 16 jobs, QD 1, 1 ms mean, 100k IOPS
depth-above-threads failover in 4 s; 100k IOPS at 1.28 ms, QD 32
depth-not-reached IOPS 45.2k/15.1k (r/w), lat 0.5/0.4 ms (r/w), iodepth 64
depth-not-reached IOPS from 80K to 240K, latency from 1.2 ms to 0.2 ms, QD 96
";
