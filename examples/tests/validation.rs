//! Every check of the validation table is a test.

use examples::device::Device;
use examples::validate as table;
use examples::validate::{Outcome, ROWS};
use xpbd_core::cpu::Threads;

fn check(row: fn(&Device) -> Outcome) {
    let check = row(&Device::Cpu(Threads::Exactly(1))).expect("the worlds of the row can be built and stepped");
    assert!(check.pass, "{check:?}");
}

macro_rules! rows {
    ($($topic:ident { $($row:ident),* $(,)? })*) => {
        $(mod $topic {
            $(#[test] fn $row() { crate::check(crate::table::$topic::$row); })*
        })*
        const TESTED: usize = 0 $($(+ { let _: fn(&Device) -> Outcome = table::$topic::$row; 1 })*)*;
    };
}

mod rows {
    use super::*;

    rows! {
        integrate { free_fall, free_fall_far_away, second_order_loses_less_energy_than_first, second_order_rests }
        pendulum { decay, no_gain, period }
        spring {
            closed_form, iterations_agree, static_stretch, static_force, boxes_on_links,
            damping_gains_nothing, overdamped_does_not_oscillate,
        }
        chain {
            top_force, bottom_error_top_down, bottom_error_bottom_up, error_falls_with_the_square, heavy_end,
            compliant_at_50, compliant_at_100, compliant_at_1000, compliant_is_monotone,
        }
        contact {
            depenetration_from_a_shape, depenetration_of_particles, slip_angle, slide_acceleration, creep,
            stopping_distance, repose_is_monotone, repose_is_near_the_friction_angle,
        }
        rod {
            cantilever, thin_cantilever, elastica, half_circle, buckling, twist, helical_spring, rotated_rest, linear_momentum,
            angular_momentum,
        }
        rope { catenary_sag, catenary_tension, stretch }
        cloth { soft_sheet, stiff_stays_finite, rigid_stays_finite, stretch_of_substeps, energy_of_substeps }
        membrane { bar_stretch, bar_contraction, warp_stretch, weft_stretch }
        invariance { linear_momentum, angular_momentum, rotated_rest, shifted, moving }
        body {
            free_fall, free_fall_far_away, angular_momentum, tumbling_energy, precession, linear_momentum,
        }
        slope { slip_angle, slide_acceleration, creep, creep_near_the_limit, stopping_distance, rolling, rolling_grips }
        bounce { first_bounce, perfect_bounces_gain_nothing, cradle, particle_bounce, particles_exchange }
        stack {
            drift, penetration, falls_asleep, drift_without_sleep, heavy_top_sinks, heavy_top_stays, depenetration,
            thousandfold_top_stays, column_stands, cards_stand,
        }
        moved { shifted, moving }
        cluster { polar_rotations, polar_singular, rotated_rest, linear_momentum, angular_momentum }
        joint {
            ball, hinge, slider, cylindrical, universal, fixed, point_on_line, point_on_plane, distance,
            linear_momentum, angular_momentum, boxes_on_links, boxes_in_a_row, spin_is_kept,
        }
        compound { decay, no_gain, period }
        drive {
            motor_speed, motor_torque, motor_stalls, brake_holds, servo_sags, hinge_stops, slider_stops,
            cone_and_twist, motor_off_the_axis, torque_of_a_stop, torque_of_a_cone,
        }
        coupling { gear_ratio, gear_does_not_drift, rack_falls, rotation_spring, suspension_sags, belt_way }
        links { error_at_20, error_at_100, swings, holds, holds_little, holds_most }
        water { column, floating_box, held_box, dam_front, dam_leaks, bag_leaks, seepage }
        air { falls_flat, still, light_in_a_gale, takes_momentum }
        inflate { balloon, pressure, let_in, rotated_rest }
        fluid { couette, drop_is_round, drop_keeps_momentum, layers }
        volume {
            neo_hookean_stretch, neo_hookean_contraction, venant_stretch, venant_contraction, fibres_stretch,
            cantilever, rotated_rest, linear_momentum, angular_momentum, flattened, disordered, stretched, venant_flattened,
            venant_stretched,
        }
        plate {
            cantilever, irregular_cantilever, stretch, contraction, irregular_stretch, irregular_contraction,
            rotated_rest,
        }
    }

    #[test]
    fn every_row_is_a_test() {
        assert_eq!(ROWS.iter().map(|(_, rows)| rows.len()).sum::<usize>(), TESTED);
    }
}
